# SPDX-FileCopyrightText: The schedconf authors
# SPDX-License-Identifier: Apache-2.0
class Schedconf < Formula
  desc "Check, complete and convert kube-scheduler configuration"
  homepage "https://github.com/schedconf/schedconf"
  version "@NUMBER@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "@URL@/schedconf_@NUMBER@_darwin_arm64.tar.gz"
      sha256 "@SHA256 schedconf_@NUMBER@_darwin_arm64.tar.gz@"
    end
    on_intel do
      url "@URL@/schedconf_@NUMBER@_darwin_amd64.tar.gz"
      sha256 "@SHA256 schedconf_@NUMBER@_darwin_amd64.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "@URL@/schedconf_@NUMBER@_linux_arm64.tar.gz"
      sha256 "@SHA256 schedconf_@NUMBER@_linux_arm64.tar.gz@"
    end
    on_intel do
      url "@URL@/schedconf_@NUMBER@_linux_amd64.tar.gz"
      sha256 "@SHA256 schedconf_@NUMBER@_linux_amd64.tar.gz@"
    end
  end

  def install
    bin.install "schedconf"
    bin.install_symlink bin/"schedconf" => "kubectl-schedconf"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/schedconf.bash" => "schedconf"
    zsh_completion.install "completions/_schedconf"
    fish_completion.install "completions/schedconf.fish"
    bin.install "completions/kubectl_complete-schedconf"
    chmod 0755, bin/"kubectl_complete-schedconf"
  end

  test do
    (testpath/"sched.yaml").write <<~YAML
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: KubeSchedulerConfiguration
    YAML
    system bin/"schedconf", "validate", "sched.yaml"
    assert_match "v#{version}", shell_output("#{bin}/schedconf version")
  end
end
