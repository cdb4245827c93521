// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Graph node parameters in the one form that has them all.

#pragma once

#include "harness/reference/graph.h"

namespace streamcts::reference {

/// The operation that @p p describes. Refuses with INVALID_VALUE, or NOT_SUPPORTED for kinds of
/// nodes that this driver has not.
operation make_operation(driver_lock&, CUgraphNodeParams& p);

/// The reverse. Pointers in the result live as long as @p o.
CUgraphNodeParams describe(const operation& o);

/// The older structures are beginnings of the newer ones.
CUgraphNodeParams as_node(const CUDA_KERNEL_NODE_PARAMS_v1& p);
CUgraphNodeParams as_node(const CUDA_KERNEL_NODE_PARAMS_v2& p);
CUgraphNodeParams as_node(const CUDA_MEMCPY3D& p, CUcontext c);
CUgraphNodeParams as_node(const CUDA_MEMSET_NODE_PARAMS_v1& p, CUcontext c);
CUgraphNodeParams as_node(const CUDA_HOST_NODE_PARAMS_v1& p);
CUgraphNodeParams as_node(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v1& p);

}  // namespace streamcts::reference
