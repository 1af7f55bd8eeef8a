#ifndef CLITERT_H
#define CLITERT_H
#endif
