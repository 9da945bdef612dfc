"""The package as it is installed: of a wheel, with numpy and nothing else."""

import importlib.metadata
import logging
import os
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np
import tessera

UNET = os.environ["TESSERA_UNET"]
CONV = os.environ["TESSERA_PT2"]
UNSUPPORTED = os.environ["TESSERA_UNSUPPORTED_PT2"]
KWS = os.environ["TESSERA_KWS"]
PADDED = os.environ["TESSERA_PADDED"]


def picture(*shape, seed=1):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Compile(Folder):
    def test_runs_at_sizes_that_the_dims_admit(self):
        artifact = tessera.compile(UNET, target="circle", dims={"H": "1..4096", "W%8": 0})
        for height, width in [(1, 8), (33, 40)]:
            x = picture(1, 3, height, width)
            outputs = artifact.run(x)
            self.assertEqual(list(outputs), [port.name for port in artifact.outputs])
            np.testing.assert_array_equal(artifact(x), list(outputs.values())[0])
            tessera.testing.assert_parity(UNET, artifact, x, dims={"H": "1..4096", "W%8": 0})

    def test_is_saved_with_its_certificate(self):
        artifact = tessera.compile(UNET, dims={"W%8": 0})
        path = self.folder / "m.circle"
        artifact.save(path)
        self.assertEqual(path.read_bytes(), artifact.data)
        loaded = tessera.load(path)
        self.assertEqual(loaded.data, bytes(artifact))
        self.assertEqual(loaded.certificate.json["artifact"]["file"], "m.circle")
        self.assertEqual(loaded.certificate.obligations, artifact.certificate.obligations)
        # Under another name, the certificate names that.
        loaded.save(self.folder / "n.circle")
        self.assertEqual(
            tessera.load(self.folder / "n.circle").certificate.json["artifact"]["file"], "n.circle"
        )

    def test_certificate_says_what_was_proved(self):
        certificate = tessera.compile(UNET, dims={"H": (1, 64)}).certificate
        self.assertIn("proved for all sizes", certificate.summary())
        (height,) = [symbol for symbol in certificate.symbols if symbol.name == "H"]
        self.assertEqual((height.low, height.high), (1, 64))
        self.assertTrue(certificate.obligations)
        self.assertTrue(all(each.proved for each in certificate.obligations))

    def test_same_bytes_as_the_program(self):
        artifact = tessera.compile(UNET, dims={"W%8": 0})
        path = self.folder / "program.circle"
        subprocess.run(
            [program(), "compile", UNET, "--dim", "W%8=0", "--quiet", "-o", path],
            check=True,
        )
        self.assertEqual(path.read_bytes(), artifact.data)

    def test_models_in_memory(self):
        self.assertEqual(
            tessera.compile(Path(UNET).read_bytes(), dims={"N": 1}).target, tessera.targets()[0]
        )

    def test_every_target_compiles(self):
        x = picture(1, 3, 16, 16)
        dims = {"N": 1, "H": 16, "W": 16}
        expected = tessera.run(UNET, x, dims=dims)
        ran = []
        for target in tessera.targets():
            try:
                artifact = tessera.compile(UNET, target=target, dims=dims)
            except tessera.Error as error:
                self.assertTrue(error.message)
                continue
            self.assertEqual(artifact.target, target)
            self.assertFalse([f for f in artifact.check() if f.startswith("error")])
            ran.append(target)
        self.assertGreaterEqual(len(ran), 2)
        self.assertEqual(len(expected), 1)

    def test_a_target_leaves_the_others_alone(self):
        quantized = tessera.quantize(KWS, preset="weights-int8").model
        before = tessera.compile(quantized, target="circle").data
        for target in tessera.targets():
            try:
                tessera.compile(UNET, target=target, dims={"N": 1, "H": 16, "W": 16})
            except tessera.Error:
                pass
        self.assertEqual(tessera.compile(quantized, target="circle").data, before)

    def test_progress_and_logging(self):
        phases = []
        with self.assertLogs("tessera", logging.DEBUG) as logs:
            tessera.compile(UNET, dims={"N": 1}, progress=phases.append)
        self.assertEqual(phases[0], "import")
        self.assertEqual(phases[-1], "write")
        self.assertTrue(any("proved for all sizes" in line for line in logs.output))

    def test_what_progress_raises_ends_it(self):
        def stop(phase):
            if phase == "lower":
                raise KeyError(phase)

        with self.assertRaises(KeyError):
            tessera.compile(UNET, progress=stop)

    def test_flags_of_targets(self):
        for target in tessera.targets():
            for name, doc in tessera.target_flags(target).items():
                self.assertTrue(name.isidentifier() and doc, name)
        with self.assertRaisesRegex(tessera.Error, "did you mean `runtime`"):
            tessera.compile(UNET, target="circle", runtme="any")
        plain = tessera.compile(UNET, target="circle")
        self.assertTrue(tessera.compile(UNET, target="circle", runtime="any").data)
        self.assertTrue(plain.not_run_by("onert") is not None)

    def test_passes_that_are_left_out(self):
        with self.assertRaisesRegex(tessera.Error, "did you mean `canonicalize`"):
            tessera.compile(UNET, disable_passes=["canonicalise"])
        self.assertTrue(tessera.compile(UNET, disable_passes=["canonicalize"]).data)


class Errors(Folder):
    def test_fields(self):
        with self.assertRaises(tessera.Error) as raised:
            tessera.compile(UNPADDED)
        error = raised.exception
        self.assertEqual(error.kind, "invalid_argument")
        self.assertTrue(error.node)
        self.assertTrue(error.constraint)
        self.assertTrue(error.remedy)
        self.assertIn(error.node, error.message)
        # The remedy is one.
        tessera.compile(UNPADDED, dims=list(error.remedy))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.node, again.remedy), (error.node, error.remedy))

    def test_all_problems_at_once(self):
        with self.assertRaises(tessera.Error) as raised:
            tessera.compile(UNSUPPORTED)
        self.assertEqual(raised.exception.kind, "unimplemented")
        self.assertEqual(len(raised.exception.problems), 5)
        self.assertTrue(all(problem.node for problem in raised.exception.problems))

    def test_files(self):
        with self.assertRaises(tessera.Error) as raised:
            tessera.compile(self.folder / "nothing.onnx")
        self.assertEqual(raised.exception.kind, "not_found")
        data = Path(UNET).read_bytes()
        for length in [0, 1, 100, len(data) // 2, len(data) - 1]:
            path = self.folder / "cut.onnx"
            path.write_bytes(data[:length])
            with self.assertRaises(tessera.Error):
                tessera.compile(path)
        circle = tessera.compile(UNET, target="circle").data
        for length in [0, 7, 100, len(circle) // 2]:
            path = self.folder / "cut.circle"
            path.write_bytes(circle[:length])
            with self.assertRaises(tessera.Error):
                tessera.load(path)

    def test_arguments(self):
        for wrong in [
            lambda: tessera.compile(UNET, target="circl"),
            lambda: tessera.compile(UNET, dims={"H": "x"}),
            lambda: tessera.compile(UNET, dims={"Q": 1}),
            lambda: tessera.compile(UNET, dims={"H": (1, 2, 3)}),
            lambda: tessera.compile(3),
            lambda: tessera.compile(UNET, readings=["none"]),
            lambda: tessera.quantize(UNET, preset="none"),
            lambda: tessera.quantize(UNET, [], preset="int8"),
            lambda: tessera.verify(UNET, target="circle", runtime="none"),
        ]:
            with self.assertRaises(tessera.Error) as raised:
                wrong()
            self.assertTrue(raised.exception.message)
        self.assertTrue(issubclass(tessera.UsageError, ValueError))

    def test_inputs(self):
        artifact = tessera.compile(UNET)
        x = picture(1, 3, 8, 8)
        for wrong, text in [
            (lambda: artifact.run(), "no value was given for input"),
            (lambda: artifact.run(x, x), "2 inputs were given, and there are 1"),
            (lambda: artifact.run(x.astype(np.float64)), "astype"),
            (lambda: artifact.run(x[0]), "shape"),
            (lambda: artifact.run(picture(1, 4, 8, 8)), "shape"),
            (lambda: artifact.run(y=x), "there is no input `y`"),
        ]:
            with self.assertRaisesRegex(tessera.UsageError, text):
                wrong()


class Arrays(unittest.TestCase):
    def setUp(self):
        self.artifact = tessera.compile(UNET)
        self.x = picture(2, 3, 12, 12)
        self.expected = self.artifact(self.x)

    def test_any_layout(self):
        wide = np.zeros((2, 3, 24, 12), np.float32)
        wide[:, :, ::2] = self.x
        np.testing.assert_array_equal(self.artifact(wide[:, :, ::2]), self.expected)
        np.testing.assert_array_equal(
            self.artifact(np.asfortranarray(self.x)), self.expected
        )
        frozen = self.x.copy()
        frozen.flags.writeable = False
        np.testing.assert_array_equal(self.artifact(frozen), self.expected)
        np.testing.assert_array_equal(self.artifact(self.x.tolist()), self.expected)

    def test_what_is_no_number_of_the_port(self):
        from tessera.arrays import Port, as_input

        floats, bytes_, whole = (Port("x", name, (-1,)) for name in ("f32", "u8", "i64"))
        bits, flag = Port("x", "bool", (-1,)), Port("x", "f32", ())
        for port, wrong, text in [
            (whole, [1.7, 2.9], "not whole"),
            (whole, [float("nan")], "not whole"),
            (bytes_, [300, 1], "was given 300"),
            (bytes_, [-1, 1], "was given -1"),
            (bits, [2, 0], "was given 2"),
            (floats, [None, 1], "no array of numbers"),
            (floats, ["1.5", "2"], "no array of numbers"),
            (floats, [[1, 2], [3]], "no array of numbers"),
            (flag, None, "no array of numbers"),
            (floats, np.ma.masked_array(np.ones(2, np.float32), [0, 1]), "masked"),
        ]:
            with self.assertRaisesRegex(tessera.UsageError, f"`x`.*{text}", msg=wrong):
                as_input(wrong, port)
        for port, right, expected in [
            (whole, [1, -3], np.int64([1, -3])),
            (bytes_, [0, 255], np.uint8([0, 255])),
            (bits, [True, 0], np.bool_([1, 0])),
            (floats, [1, 2.5], np.float32([1, 2.5])),
            (flag, 3, np.float32(3)),
            (floats, [], np.float32([])),
            (floats, np.ma.masked_array(np.ones(1, np.float32), [0]), np.float32([1])),
        ]:
            np.testing.assert_array_equal(tessera.arrays.taken(as_input(right, port)), expected)

    def test_bound_inputs_are_copies(self):
        from tessera.arrays import bound

        given = np.ones(3, ">f4")
        data, shape, name = bound({"w": given})["w"]
        self.assertEqual((shape, name), ((3,), "f32"))
        same = np.ones(3, np.float32)
        lent = bound({"w": same})["w"]
        same[:] = 100
        np.testing.assert_array_equal(tessera.arrays.taken(lent), np.ones(3, np.float32))
        np.testing.assert_array_equal(
            tessera.arrays.taken((data, shape, name)), np.ones(3, np.float32)
        )

    def test_streams(self):
        artifact = tessera.compile(
            PADDED, target="npu", calibrate=Path(PADDED).parent, stream="T", frame=8
        )
        x = picture(1, 16, 40)
        whole = artifact(x)
        self.assertEqual(whole.shape[2], 40)
        # No run depends on another.
        np.testing.assert_array_equal(artifact(x), whole)
        (name,) = [port.name for port in artifact.outputs]
        stream, other = artifact.stream(), artifact.stream()
        parts = []
        for begin in range(0, 40, 8):
            parts.append(stream.run(x[:, :, begin : begin + 8])[name])
            other.run(picture(1, 16, 8, seed=begin))
        parts.append(stream.end()[name])
        self.assertLess(parts[0].shape[2], 8)
        np.testing.assert_array_equal(np.concatenate(parts, axis=2), whole)
        np.testing.assert_array_equal(stream.run(x[:, :, :8])[name], parts[0])
        # Without states each run is whole.
        plain = self.artifact.stream()
        np.testing.assert_array_equal(list(plain.run(self.x).values())[0], self.expected)
        self.assertEqual(plain.end(), {})

    def test_notes_beside_a_run(self):
        done = threading.Event()

        def notes():
            while not done.is_set():
                self.artifact._native.notes()

        thread = threading.Thread(target=notes)
        thread.start()
        for _ in range(20):
            self.artifact(self.x)
        done.set()
        thread.join()

    def test_dlpack(self):
        class Foreign:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        np.testing.assert_array_equal(self.artifact(Foreign(self.x)), self.expected)
        # Outputs are arrays of numpy, which lend themselves.
        np.testing.assert_array_equal(np.from_dlpack(self.expected), self.expected)

    def test_outputs_are_their_own(self):
        again = self.artifact(self.x)
        again[:] = 0
        np.testing.assert_array_equal(self.artifact(self.x), self.expected)
        del self.artifact
        self.assertTrue(np.isfinite(self.expected).all())

    def test_inputs_are_not_copied(self):
        from tessera.arrays import Port, as_input

        data, shape, name = as_input(self.x, Port("x", "f32", (-1, 3, -1, -1)))
        self.assertTrue(np.shares_memory(data, self.x))
        self.assertEqual((shape, name), (self.x.shape, "f32"))

    def test_threads_run_beside_it(self):
        results = [None] * 4

        def work(index):
            results[index] = self.artifact(self.x)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            np.testing.assert_array_equal(result, self.expected)

    def test_the_interpreter_is_free_meanwhile(self):
        x = picture(2, 3, 128, 128)
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
                time.sleep(0)  # gives up the lock

        before = sys.getswitchinterval()
        sys.setswitchinterval(1000)  # others keep it until they give it up
        self.addCleanup(sys.setswitchinterval, before)
        thread = threading.Thread(target=count)
        thread.start()
        start = counted[0]
        self.artifact(x)
        end = counted[0]
        done.set()
        thread.join()
        self.assertGreater(end, start)


class Checks(Folder):
    def test_verify(self):
        report = tessera.verify(UNET, target="circle")
        self.assertTrue(report)
        self.assertTrue(report.json["cases"])
        self.assertIn("holds", report._repr_html_())

    def test_verify_program_of_pytorch(self):
        self.assertTrue(tessera.verify(CONV))
        artifact = tessera.compile(CONV, target="circle")
        tessera.testing.assert_parity(CONV, artifact)

    def test_parity_of_what_was_compiled_for_some_sizes(self):
        artifact = tessera.compile(UNET, dims={"N": 1, "H%8": 0, "W%8": 0})
        tessera.testing.assert_parity(UNET, artifact)

    def test_parity_of_several_cases(self):
        artifact = tessera.compile(UNET, dims={"W%8": 0})
        (name,) = [port.name for port in artifact.inputs]
        cases = [(picture(1, 3, 8, 8),), {name: picture(1, 3, 16, 8)}, ((), {name: picture(2, 3, 8, 8)})]
        seen = []

        def model(value=None, **named):
            seen.append(value if value is not None else named[name])
            return artifact(seen[-1])

        tessera.testing.assert_parity(model, artifact, cases)
        self.assertEqual([x.shape for x in seen], [(1, 3, 8, 8), (1, 3, 16, 8), (2, 3, 8, 8)])
        tessera.testing.assert_parity(UNET, artifact, cases[2])
        with self.assertRaisesRegex(tessera.UsageError, "2 inputs, and the artifact has"):
            tessera.testing.assert_parity(UNET, artifact, [(1, 2)])

    def test_messages_name_no_folder_of_their_own(self):
        with self.assertRaises(tessera.Error) as raised:
            tessera.compile(Path(UNPADDED).read_bytes(), strict_dims=True)
        self.assertNotIn(tempfile.gettempdir(), str(raised.exception))
        self.assertIn("model: ", str(raised.exception))

    def test_prove(self):
        proof = tessera.prove(UNET, dims={"W%8": 0})
        self.assertTrue(proof)
        self.assertTrue(proof.certificate.obligations)
        with self.assertRaises(tessera.Error) as raised:
            tessera.prove(UNPADDED, strict_dims=True)
        self.assertTrue(raised.exception.constraint)

    def test_check_certificate(self):
        path = self.folder / "m.circle"
        tessera.compile(UNET).save(path)
        check = tessera.check_certificate(f"{path}.cert.json", model=UNET)
        self.assertEqual(check.verdict, "accepted", check.text)
        path.write_bytes(path.read_bytes() + b"\0")
        with self.assertRaisesRegex(tessera.Error, "made for another artifact"):
            tessera.load(path)

    def test_inspect(self):
        artifact = tessera.compile(UNET, target="circle")
        shown = tessera.inspect(artifact, operators=True)
        self.assertIn("CONV_2D", str(shown))
        self.assertIn("<iframe", shown._repr_html_())
        self.assertIn("<iframe", artifact._repr_html_())
        self.assertIn("<table", artifact.certificate._repr_html_())
        self.assertTrue(artifact.json)

    def test_parity_that_does_not_hold(self):
        artifact = tessera.compile(UNET)
        x = picture(1, 3, 8, 8)

        def model(value):
            return artifact(value) + np.float32(0.1)

        with self.assertRaisesRegex(AssertionError, "PEIR"):
            tessera.testing.assert_parity(model, artifact, x)
        tessera.testing.assert_parity(lambda value: artifact(value), artifact, x)
        with self.assertRaisesRegex(AssertionError, "shape"):
            tessera.testing.assert_parity(
                lambda value: artifact(value)[:, :, 1:], artifact, x
            )


class Quantize(Folder):
    def test_quantize(self):
        network = tessera.Network(KWS)
        samples = [network.random_inputs(1, seed)[0] for seed in range(4)]
        quantized = tessera.quantize(KWS, samples)
        self.assertLess(len(quantized.model), quantized.bytes_before)
        self.assertTrue(quantized.qualities)
        path = self.folder / "small.onnx"
        quantized.save(path)
        self.assertEqual(path.read_bytes(), quantized.model)
        outputs = tessera.run(path, samples[0])
        self.assertEqual(list(outputs), list(tessera.run(KWS, samples[0])))
        self.assertIn("SNR", str(quantized))
        bounded = tessera.quantize(KWS, samples, max_drop=60)
        self.assertEqual((bounded.model, bounded.left_exact), (quantized.model, ()))
        with self.assertLogs("tessera", "WARNING") as logs:
            exact = tessera.quantize(KWS, samples, max_drop=1e-9)
        self.assertTrue(exact.left_exact)
        self.assertIn("compression is given too", logs.output[0])
        steps = self.folder / "steps"
        for _ in range(2):
            resumed = tessera.quantize(KWS, samples, max_drop=1e-9, resume=steps)
            self.assertEqual(resumed.model, exact.model)
            kept = {path: path.stat().st_mtime_ns for path in steps.iterdir()}
            self.assertGreater(len(kept), 10)
        self.assertFalse(resumed.qualities[0].snr < 60)
        for wrong in ({"max_drop": 0}, {"max_drop": 1, "min_snr": 20}):
            with self.assertRaises(tessera.UsageError):
                tessera.quantize(KWS, samples, **wrong)
        tessera.testing.assert_parity(
            path, tessera.compile(path, target="circle"), samples[0], tolerance=0.05
        )


class Command(Folder):
    def test_the_program_comes_along(self):
        for command in [[program()], [sys.executable, "-m", "tessera"]]:
            said = subprocess.run([*command, "--version"], check=True, capture_output=True, text=True)
            self.assertEqual(said.stdout, f"tessera {tessera.__version__}\n")

    def test_the_licences_of_others_come_along(self):
        (file,) = [
            file
            for file in importlib.metadata.files("tessera")
            if file.parts[-2:] == ("licenses", "copyright")
        ]
        text = file.read_text(encoding="utf-8")
        packages = re.findall(r"^  package: (\S+) \S+$", text, re.M)
        self.assertGreater(len(packages), 20)
        headings = re.findall(r"^=+\n(.+)\n=+$", text, re.M)
        for package in packages:
            self.assertIn(package, headings)
        # What those refer to is there too.
        for name in re.findall(r"/usr/share/common-licenses/[A-Za-z0-9.+-]*[A-Za-z0-9+]", text):
            self.assertIn(name, headings)
        for phrase in ["GNU GENERAL PUBLIC LICENSE", "GNU LESSER GENERAL PUBLIC LICENSE", "Apache License"]:
            self.assertIn(phrase, text)

    def test_it_needs_pytorch_only_to_export(self):
        with self.assertRaisesRegex(tessera.UsageError, "PyTorch"):
            tessera.convert(object())


class Convert(Folder):
    """PyTorch is too large to be installed here: what is tested is all around its two functions."""

    def test_a_program_is_saved_and_read(self):
        import types

        calls = []

        size = object()  # a symbol
        program = types.SimpleNamespace(
            graph_signature=types.SimpleNamespace(user_inputs=("x",)),
            graph=types.SimpleNamespace(
                nodes=[
                    types.SimpleNamespace(op=op, name=name, meta={"val": value})
                    for op, name, value in [
                        ("placeholder", "weight", np.zeros((4, 3))),
                        ("placeholder", "x", types.SimpleNamespace(shape=(size, 3, 8))),
                        ("call_function", "y", types.SimpleNamespace(shape=(size,))),
                    ]
                ]
            ),
        )

        def export(module, arguments, kwargs, dynamic_shapes, strict):
            calls.append((module, arguments, dynamic_shapes))
            return program

        def save(saved, path):
            self.assertIs(saved, program)
            Path(path).write_bytes(Path(CONV).read_bytes())

        torch = types.ModuleType("torch")
        torch.export = types.SimpleNamespace(export=export, save=save)
        sys.modules["torch"] = torch
        self.addCleanup(sys.modules.pop, "torch")
        module = types.SimpleNamespace(training=False, forward=lambda x, scale: None)
        x = np.zeros((2, 3, 8), np.float32)
        artifact = tessera.convert(module, (x, 2), dynamic_shapes={"x": {0: "N"}, "scale": None})
        self.assertEqual(calls, [(module, (x, 2), {"x": {0: "N"}, "scale": None})])
        # A size that is asked for and is a number in the program.
        for shapes in [{"x": {0: "N", 2: "W"}, "scale": None}, (("N", None, "W"), None)]:
            with self.assertRaisesRegex(tessera.UsageError, "axis 2 of input `x` is always 8.*leave"):
                tessera.convert(module, (x, 2), dynamic_shapes=shapes)
        # What is left to PyTorch is told; what is known to be one number is nothing that is asked.
        auto, static = (types.SimpleNamespace(type=types.SimpleNamespace(name=name)) for name in ("AUTO", "STATIC"))
        with self.assertLogs("tessera", "WARNING") as logs:
            tessera.convert(module, (x, 2), dynamic_shapes=({0: "N", 1: static, 2: auto}, None))
        self.assertIn("axis 2 of input `x` is always 8", "\n".join(logs.output))
        self.assertNotIn("axis 1", "\n".join(logs.output))
        with self.assertRaisesRegex(tessera.UsageError, "has its sizes"):
            tessera.convert(program, dynamic_shapes={"x": {0: "N"}})
        x = tessera.Network(CONV).random_inputs(1)[0]
        for name, expected in tessera.compile(CONV).run(x).items():
            np.testing.assert_array_equal(artifact.run(x)[name], expected)
        module.training = True
        with self.assertRaisesRegex(tessera.UsageError, "eval"):
            tessera.convert(module, (1, 2))


def program():
    return os.path.join(os.path.dirname(sys.executable), "tessera")


UNPADDED = os.environ["TESSERA_UNPADDED"]

if __name__ == "__main__":
    unittest.main(verbosity=2)
