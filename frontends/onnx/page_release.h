// Gives pages of a mapped file back before the map ends. A compiler that transforms its constants
// one by one else holds all of the weights twice.
#ifndef TESSERA_FRONTENDS_ONNX_PAGE_RELEASE_H_
#define TESSERA_FRONTENDS_ONNX_PAGE_RELEASE_H_

#include "support/mapped_file.h"

namespace tessera::onnx_import {

// `part` of a mapped file under an owner of its own: when the last copy of that goes, the pages
// that lie wholly in the part leave the process; whoever touches them again reads them anew.
support::MappedFile WithPageRelease(support::MappedFile part);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_PAGE_RELEASE_H_
