"""Runs a TFLite file in the runtime of its makers.

run_tflite.py [--kernels=reference|optimized] MODEL.tflite OUTPUT_DIRECTORY INPUT.npy...

One .npy file for each input, in the order of the model; inputs of the model whose shape is dynamic,
or another one, take the shape of the array. Writes OUTPUT_DIRECTORY/output_I.npy for output I.
"""

import argparse
import sys

import numpy
from tflite_runtime import interpreter as tflite


def _resolver(kernels):
  """The plain reference kernels, or the optimized ones, without delegates in both cases."""
  if kernels == 'reference':
    return tflite.OpResolverType.BUILTIN_REF
  return tflite.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument('--kernels', choices=['reference', 'optimized'], default='optimized')
  parser.add_argument('model')
  parser.add_argument('output_directory')
  parser.add_argument('inputs', nargs='*')
  arguments = parser.parse_args()

  interpreter = tflite.Interpreter(
      model_path=arguments.model,
      num_threads=1,
      experimental_op_resolver_type=_resolver(arguments.kernels),
  )
  details = interpreter.get_input_details()
  if len(details) != len(arguments.inputs):
    sys.exit(f'{len(arguments.inputs)} inputs given, the model has {len(details)}')
  arrays = [numpy.load(path, allow_pickle=False) for path in arguments.inputs]
  for detail, array in zip(details, arrays):
    if array.dtype != detail['dtype']:
      sys.exit(f"input `{detail['name']}`: {array.dtype}, the model takes {detail['dtype']}")
    if list(array.shape) != list(detail['shape']):
      interpreter.resize_tensor_input(detail['index'], array.shape)
  interpreter.allocate_tensors()
  for detail, array in zip(details, arrays):
    interpreter.set_tensor(detail['index'], array)
  interpreter.invoke()
  for index, detail in enumerate(interpreter.get_output_details()):
    # `tensor` names would not do: two outputs may be one tensor, and names hold slashes.
    numpy.save(f'{arguments.output_directory}/output_{index}.npy',
               numpy.ascontiguousarray(interpreter.get_tensor(detail['index'])))


if __name__ == '__main__':
  main()
