// What quantization may do at operations, as their definitions say it.
#ifndef TESSERA_PASSES_COMPRESSION_TRAITS_TRAITS_H_
#define TESSERA_PASSES_COMPRESSION_TRAITS_TRAITS_H_

#include "absl/types/span.h"
#include "codegen/support/quantize_trait.h"
#include "ir/op_info.h"

namespace tessera::compression {

// Generated lists (`//ops_defs:core_traits`), added by who links the op sets. Adding one twice is
// a no-op. Not thread-safe, unlike what follows.
void AddTraits(absl::Span<const ir::QuantizeTrait> traits);

// `kNever` where nothing is known of the op.
const ir::QuantizeTrait& TraitOf(const ir::OpInfo& info);

// The op of a dialect that is the only one of its kind (`kQuantizes`, `kDequantizes`); null: none.
const ir::QuantizeTrait* TraitThat(ir::Quantizable kind);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_TRAITS_TRAITS_H_
