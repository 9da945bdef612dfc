// The page about an artifact: stages and cuts, layers with their scales and tables, and where what
// lies in memory when.
#ifndef TESSERA_TARGETS_NPU_REPORT_H_
#define TESSERA_TARGETS_NPU_REPORT_H_

#include "report/page.h"
#include "targets/npu/artifact/bundle.h"

namespace tessera::npu {

report::Page ReportOf(const Bundle& bundle);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_REPORT_H_
