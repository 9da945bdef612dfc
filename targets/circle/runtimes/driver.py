"""Runs Circle files in a runtime of others.

driver.py onert|litert PACKAGES SECONDS SHARED FOLDER...

PACKAGES: where Python looks for the runtime's package first; empty: where it always does.
SECONDS: the most processor time that a model may take; 0: no limit.
SHARED: the most models that one process runs. A process that ends by a signal at one that was not its
first is followed by another, which begins there.
Each FOLDER holds `model.circle` (for LiteRT under TFLite's identifier) and `input_K.npy`, in the order of
the model's inputs. What comes out is `output_K.npy`, or the text `error`. Models run in processes
other than this one: a runtime may write over memory that is not its own.
"""

import importlib.util
import os
import resource
import sys

if sys.path and sys.path[0] == '':
  del sys.path[0]  # not what lies in the working folder
if sys.argv[2]:
  sys.path.insert(0, sys.argv[2])

NOT_INSTALLED = 3
PACKAGES = {'onert': 'onert', 'litert': 'ai_edge_litert'}
# Bytes for an output whose size data may decide, and for all of them: pages that nothing is written
# to cost nothing, but count where the address space is limited.
ROOM, ROOMS = 1 << 28, 1 << 31


def inputs_of(folder):
  arrays = []
  while os.path.exists(f'{folder}/input_{len(arrays)}.npy'):
    array = numpy.load(f'{folder}/input_{len(arrays)}.npy', allow_pickle=False)
    arrays.append(numpy.ascontiguousarray(array).reshape(array.shape))
  return arrays


class Onert:
  """Its C API: the Python one has no outputs of sizes that depend on data."""

  def __init__(self):
    # Beside the package, whose own modules are not needed.
    package = importlib.util.find_spec('onert').submodule_search_locations[0]
    self.api = ctypes.CDLL(f'{package}/native/libonert.so')
    self.types = {0: numpy.float32, 1: numpy.int32, 2: numpy.uint8, 3: numpy.bool_, 4: numpy.uint8,
                  5: numpy.int64, 6: numpy.int8, 7: numpy.int16}

    class TensorInfo(ctypes.Structure):
      _fields_ = [('dtype', ctypes.c_int), ('rank', ctypes.c_int), ('dims', ctypes.c_int * 6)]

    self.tensor_info = TensorInfo

  def call(self, name, *arguments):
    status = getattr(self.api, f'nnfw_{name}')(*arguments)
    if status:
      raise RuntimeError(f'nnfw_{name}: status {status}')

  def info(self, session, which, index):
    info = self.tensor_info()
    self.call(f'{which}_tensorinfo', session, ctypes.c_uint32(index), ctypes.byref(info))
    return info

  def size_of(self, info):
    """Bytes; 0 where a size is not known."""
    entries = numpy.prod([max(dim, 0) for dim in info.dims[:info.rank]], dtype=numpy.int64)
    return int(entries) * numpy.dtype(self.types[info.dtype]).itemsize

  def run(self, model, arrays):
    session = ctypes.c_void_p()
    self.call('create_session', ctypes.byref(session))
    self.call('load_model_from_file', session, model.encode())
    self.call('set_available_backends', session, b'cpu')
    count = ctypes.c_uint32()
    self.call('input_size', session, ctypes.byref(count))
    if count.value != len(arrays):
      raise RuntimeError(f'{len(arrays)} inputs given, the model has {count.value}')
    for i, array in enumerate(arrays):
      info = self.info(session, 'input', i)
      if self.types[info.dtype] != array.dtype:
        raise RuntimeError(f'input {i} is {array.dtype}, the model takes {self.types[info.dtype]}')
      if list(info.dims[:info.rank]) != list(array.shape):
        info.rank = array.ndim
        for axis, dim in enumerate(array.shape):
          info.dims[axis] = dim
        self.call('set_input_tensorinfo', session, ctypes.c_uint32(i), ctypes.byref(info))
    self.call('prepare', session)
    for i, array in enumerate(arrays):
      self.call('set_input', session, ctypes.c_uint32(i), self.info(session, 'input', i).dtype,
                array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
    self.call('output_size', session, ctypes.byref(count))
    rooms = []
    for i in range(count.value):
      info = self.info(session, 'output', i)
      room = max(self.size_of(info), min(ROOM, ROOMS // count.value))
      rooms.append(numpy.zeros(room, numpy.uint8))
      self.call('set_output', session, ctypes.c_uint32(i), info.dtype,
                rooms[i].ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(rooms[i].nbytes))
    self.call('run', session)
    outputs = []
    for i, room in enumerate(rooms):
      info = self.info(session, 'output', i)
      shape = list(info.dims[:info.rank])
      outputs.append(room[:self.size_of(info)].view(self.types[info.dtype]).reshape(shape))
    return outputs


class Litert:

  def __init__(self):
    from ai_edge_litert import interpreter
    self.module = interpreter

  def run(self, model, arrays):
    interpreter = self.module.Interpreter(
        model_path=model, num_threads=1,
        experimental_op_resolver_type=(
            self.module.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES))
    details = interpreter.get_input_details()
    if len(details) != len(arrays):
      raise RuntimeError(f'{len(arrays)} inputs given, the model has {len(details)}')
    for detail, array in zip(details, arrays):
      if list(detail['shape']) != list(array.shape):
        interpreter.resize_tensor_input(detail['index'], array.shape)
    interpreter.allocate_tensors()
    for detail, array in zip(details, arrays):
      interpreter.set_tensor(detail['index'], array)
    interpreter.invoke()
    outputs = []
    for detail in interpreter.get_output_details():  # of what has no entries it gets no tensor
      if 0 in detail['shape']:
        outputs.append(numpy.zeros(detail['shape'], detail['dtype']))
      else:
        outputs.append(interpreter.get_tensor(detail['index']))
    return outputs


def run_one(runtime, folder):
  log = os.open(f'{folder}/log', os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
  os.dup2(log, 1)
  os.dup2(log, 2)
  os.close(log)
  try:
    outputs = runtime.run(f'{folder}/model.circle', inputs_of(folder))
    for k, output in enumerate(outputs):
      numpy.save(f'{folder}/output_{k}.npy', numpy.ascontiguousarray(output).reshape(output.shape))
  except BaseException as error:  # also what bindings raise beside Exception
    with open(f'{folder}/log', encoding='utf-8', errors='replace') as said:
      text = ' '.join(f'{said.read()} {error}'.split())
    with open(f'{folder}/error', 'w', encoding='utf-8') as file:
      file.write(text)


def run_in_child(runtime, folders, seconds):
  """How many of them it ran to their end, and its exit code: 0, or the signal that ended it."""
  reader, writer = os.pipe()
  child = os.fork()
  if child:
    os.close(writer)
    with open(reader, 'rb') as ended:
      count = len(ended.read())
    return count, os.waitpid(child, 0)[1]
  os.close(reader)
  for folder in folders:
    if seconds:
      used = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
      resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, resource.RLIM_INFINITY))
    run_one(runtime, folder)
    os.write(writer, b'.')
  os._exit(0)


def main():
  name = sys.argv[1]
  if importlib.util.find_spec(PACKAGES[name]) is None:
    sys.exit(NOT_INSTALLED)
  runtime = Onert() if name == 'onert' else Litert()
  seconds, shared = int(sys.argv[3]), int(sys.argv[4])
  folders = list(map(os.path.abspath, sys.argv[5:]))
  while folders:
    count, code = run_in_child(runtime, folders[:shared], seconds)
    if code and count == 0:
      with open(f'{folders[0]}/error', 'w', encoding='utf-8') as file:
        file.write(f'the process was ended by signal {code & 127}')
      count = 1
    folders = folders[count:]


try:
  import ctypes
  import numpy
except ImportError:
  sys.exit(NOT_INSTALLED)
main()
