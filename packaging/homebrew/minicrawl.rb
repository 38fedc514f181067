# Homebrew's formula. packaging/fill.py writes url and sha256, "brew update-python-resources minicrawl" the resources.
class Minicrawl < Formula
  include Language::Python::Virtualenv

  desc "Command-line crawler that fetches the important part of the web first"
  homepage "https://minicrawl.example/docs/"
  url "https://minicrawl.example/minicrawl-1.0.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "cmake" => :build # zlib-ng
  depends_on "rust" => :build # tantivy
  depends_on "certifi"
  depends_on "numpy"
  depends_on "python@3.14"

  uses_from_macos "libffi"
  uses_from_macos "libxml2"
  uses_from_macos "libxslt"

  def install
    virtualenv_install_with_resources
    man1.install Dir["man/*.1"]
    generate_completions_from_executable(bin/"minicrawl", "completion")
  end

  test do
    (testpath/"index.html").write "<title>Home</title><a href='about.html'>About</a>"
    (testpath/"about.html").write "<title>About</title>"
    port = free_port
    server = spawn "python3", "-m", "http.server", port.to_s, "--bind", "127.0.0.1"
    begin
      sleep 3
      system bin/"minicrawl", "crawl", "http://127.0.0.1:#{port}/", "--allow-private", "--delay", "0", "--quiet"
      assert_match "Home", shell_output("#{bin}/minicrawl top")
      system bin/"minicrawl", "check"
    ensure
      Process.kill "TERM", server
      Process.wait server
    end
  end
end
