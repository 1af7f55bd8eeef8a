# Flourish for Homebrew on Linux, from the bundle.
class Flourish < Formula
  desc "Adds animated reactions to hand gestures in videos"
  homepage "https://flourish.invalid"
  url "https://flourish.invalid/releases/flourish-0.2.0-linux-x86_64.tar.zst"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license all_of: ["Apache-2.0", "GPL-3.0-or-later"]

  depends_on "zstd" => :build
  depends_on arch: :x86_64
  depends_on :linux

  # The libraries find each other by run paths of their own.
  skip_clean "lib"

  def install
    rm "share/flourish/install.sh"
    libexec.install "bin", "lib", "share"
    bin.install_symlink libexec/"bin/flourish"
    man1.install_symlink libexec/"share/man/man1/flourish.1"
    bash_completion.install_symlink libexec/"share/bash-completion/completions/flourish"
    zsh_completion.install_symlink libexec/"share/zsh/site-functions/_flourish"
    fish_completion.install_symlink libexec/"share/fish/vendor_completions.d/flourish.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/flourish --version")
    system bin/"flourish", "doctor"
  end
end
