// Parameters, buffers and constants of an archive, in each of the layouts that torch 2.5 to 2.15
// write: a file per storage beside a list (2.9 on), or a dictionary that torch.save pickled.
#ifndef TESSERA_FRONTENDS_PT2_WEIGHTS_H_
#define TESSERA_FRONTENDS_PT2_WEIGHTS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/pt2/archive.h"
#include "frontends/pt2/pickle.h"
#include "frontends/pt2/program.h"
#include "ir/tensor.h"

namespace tessera::pt2_import {

class Weights {
 public:
  // `archive` must outlive the object; `owner` keeps its bytes.
  Weights(const Archive& archive, std::shared_ptr<const void> owner)
      : archive_(archive), owner_(std::move(owner)) {}

  // Of files with a list: `folder` is `data/weights/`.
  absl::Status AddPayloads(const std::string& list, const std::string& folder);
  // What torch.save wrote: an archive within the archive.
  absl::Status AddPickled(const std::string& entry);

  // A view of the file where the tensor is contiguous, else a copy. Tensors that share a storage
  // are each given as it holds them. Errors: none of that name; one that leaves its storage; one
  // whose elements repeat more often than the storage has any (Tensor::kMaxBytes bounds the rest).
  // Of a complex tensor the real and the imaginary parts, along a last axis.
  absl::StatusOr<ir::Tensor> Load(const std::string& name) const;
  // The other tensors in the same storage.
  std::vector<std::string> Sharing(const std::string& name) const;

 private:
  struct Entry {
    ir::DType dtype;
    absl::Span<const uint8_t> storage;
    int64_t offset = 0;  // elements
    std::vector<int64_t> sizes, strides;
    absl::Status status;  // why it cannot be loaded
  };
  absl::StatusOr<Entry> EntryOf(const Payload& payload, const std::string& folder) const;
  // An entry of complex numbers becomes one of their parts.
  static void SplitNumbers(Entry& entry);

  const Archive& archive_;
  std::shared_ptr<const void> owner_;
  std::map<std::string, Entry> entries_;
};

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_WEIGHTS_H_
