#!/bin/bash
# Artifacts as Bazel targets, far from this build: a workspace of its own with an unpacked package of
# the tools builds a matrix, sandboxed and without network; with another home and another output base,
# all of it comes out of the cache and nothing is run.
# fleet_test.sh ARCHIVE DEFS VERIFY_SCRIPT TARGETS STAND_INS MODEL...
set -euo pipefail
export LC_ALL=C
archive="$PWD/$1" defs="$PWD/$2" script="$PWD/$3" targets="$PWD/$4" stand_ins="$PWD/$5" models="$PWD"
shift 5
sizes="sizes_unet_circle.circle sizes_unet_circle_small.circle sizes_unet_vulkan.tvk sizes_unet_vulkan_small.tvk"
fail() {
  echo "FAILED: $*"
  exit 1
}
# Not below the folder of a workspace, which Bazel would find; short, for sockets have paths too.
work="$(mktemp -d /tmp/fleet.XXXXXX)"
bazel() {  # HOME COMMAND...
  local home="$work/$1"
  shift
  mkdir -p "$home"
  env -i HOME="$home" PATH=/usr/bin:/bin USER=fleet /usr/bin/bazel --nohome_rc --output_user_root="$home/out" --max_idle_secs=30 "$@" --color=no --curses=no
}
finish() {
  for home in one two; do bazel $home shutdown >/dev/null 2>&1 || true; done
  chmod -R u+w "$work"
  rm -rf "$work"
}
trap finish EXIT

mkdir -p "$work/fleet/tools/package" "$work/fleet/targets/all" "$work/fleet/third_party/bazel" "$work/fleet/models"
cd "$work/fleet"
tar -xzf "$archive" -C tools/package --strip-components=1
cp "$defs" tools/defs.bzl
cp "$script" tools/verify_artifact.sh
cp "$targets" targets/all/targets.bzl
cp "$stand_ins" third_party/bazel/stand_ins.bzl
touch targets/all/BUILD third_party/bazel/BUILD
cat >WORKSPACE <<'END'
load("//third_party/bazel:stand_ins.bzl", "remote_coverage_tools", "rules_cc", "rules_java")
rules_cc(name = "rules_cc")
rules_java(name = "rules_java")
remote_coverage_tools(name = "remote_coverage_tools")
END
cat >tools/BUILD <<'END'
package(default_visibility = ["//visibility:public"])
exports_files(["verify_artifact.sh"])
[sh_binary(name = tool, srcs = [tool + ".sh"], data = glob(["package/**"])) for tool in ["compile", "verify"]]
END
for tool in compile verify; do
  cat >tools/$tool.sh <<END
#!/bin/bash
# As an action's tool it is beside its runfiles, in a test among them.
package="\$0.runfiles/fleet/tools/package"
[[ -d "\$package" ]] || package="\$(dirname "\$0")/package"
exec "\$package/bin/tessera" $tool "\$@"
END
done
chmod +x tools/*.sh
sed -i '1i workspace(name = "fleet")' WORKSPACE
for model in "$@"; do cp -rL "$models/$model" "models/$(basename "$model")"; done
rm -f models/*/BUILD
cat >models/BUILD <<'END'
load("//tools:defs.bzl", "nn_artifact_matrix")
filegroup(name = "kws_conv1d", srcs = glob(["kws_conv1d/test_data_set_*/*"]))
nn_artifact_matrix(
    name = "fleet",
    calibration = {"kws": ":kws_conv1d"},
    compile_flags = ["--strict-floats", "--disable-rewrite=Add.gather_constants"],
    models = {"kws": "kws_conv1d/model.onnx"},
    targets = {
        "circle": ["any", "litert"],
        "npu": ["gna-2.0", "gna-3.0"],
    },
    test_data = {"kws": ":kws_conv1d"},
)
nn_artifact_matrix(
    name = "sizes",
    dims = {"": [], "small": ["H=32", "W=32"]},
    models = {"unet": "unet_d1_padded/model.onnx"},
    targets = {
        "circle": [],
        "vulkan": [],
    },
    tests = False,
)
END
options=(--disk_cache="$work/cache" --spawn_strategy=sandboxed --nosandbox_debug --incompatible_strict_action_env --sandbox_default_allow_network=false)

bazel one test "${options[@]}" //models:fleet_test >one.txt 2>&1 || fail "the matrix: $(tail -40 one.txt)"
bazel one build "${options[@]}" //models:fleet //models:sizes >one_build.txt 2>&1 || fail "the artifacts: $(tail -40 one_build.txt)"
grep -q 'linux-sandbox' one.txt one_build.txt || fail "nothing ran in a sandbox: $(cat one.txt)"
for artifact in fleet_kws_circle_any.circle fleet_kws_circle_litert.circle fleet_kws_npu_gna-2.0.npu fleet_kws_npu_gna-3.0.npu $sizes; do
  [[ -s bazel-bin/models/$artifact && -s bazel-bin/models/$artifact.cert.json ]] || fail "no $artifact"
  sha256sum <"bazel-bin/models/$artifact"
done >sums_one.txt

# Elsewhere: another home, another output base, the same cache.
mkdir "$work/elsewhere"
cp -r "$work/fleet" "$work/elsewhere/"
rm -f "$work"/elsewhere/fleet/bazel-*
cd "$work/elsewhere/fleet"
bazel two build "${options[@]}" //models:fleet //models:sizes >two.txt 2>&1 || fail "the second: $(tail -40 two.txt)"
grep -E 'processes?:' two.txt | tail -1 | grep -E 'linux-sandbox|processwrapper|worker| local' && fail "the second executed something"
grep -E 'processes?:.*cache hit' two.txt || fail "nothing came out of the cache: $(cat two.txt)"
for artifact in fleet_kws_circle_any.circle fleet_kws_circle_litert.circle fleet_kws_npu_gna-2.0.npu fleet_kws_npu_gna-3.0.npu $sizes; do
  sha256sum <"bazel-bin/models/$artifact"
done >sums_two.txt
cmp "$work/fleet/sums_one.txt" sums_two.txt || fail "other bytes"
