#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CSAFEGUARD_SANITIZED 1
#endif
#endif
