// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/executable.h"

#include <algorithm>

#include "harness/reference/scheduler.h"

namespace streamcts::reference {
namespace {

// A graph to be launched from the device holds device work alone.
bool launchable_from_device(const operation& o) {
  const CUgraphNodeType type = type_of(o);
  return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
         type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_GRAPH;
}

std::vector<node_ptr> ordered(const graph& g, graph_trouble& trouble) {
  try {
    return in_order(g);
  } catch (const refusal&) {
    trouble.instantiation = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
    throw;
  }
}

std::vector<std::size_t> places_behind(const graph_node& n, const std::vector<node_ptr>& all) {
  std::vector<std::size_t> places;
  for (const node_ptr& before : n.behind) {
    places.push_back(static_cast<std::size_t>(std::ranges::find(all, before) - all.begin()));
  }
  std::ranges::sort(places);
  return places;
}

item_ptr make_node_item(driver_lock& lock, const std::shared_ptr<context>& c,
                        const executable::node& n) {
  // A disabled node does nothing, but keeps its place (its edges).
  return n.enabled ? make_item(lock, c, n.work) : make_item(lock, c, operation{empty_operation{}});
}

// Submits the nodes of one launch, the roots behind `entry`. Returns all items.
std::vector<item_ptr> submit_nodes(driver_lock& lock, const std::shared_ptr<context>& c,
                                   const executable& e, const item_ptr& entry);

// A child graph is an item of its own, behind all of its nodes.
item_ptr submit_child(driver_lock& lock, const std::shared_ptr<context>& c,
                      const executable& child, const item_ptr& entry) {
  submit(lock, entry);
  const item_ptr exit = make_item(lock, c, executor::nobody);
  order(lock, entry, exit);
  for (const item_ptr& item : submit_nodes(lock, c, child, entry)) order(lock, item, exit);
  return exit;
}

std::vector<item_ptr> submit_nodes(driver_lock& lock, const std::shared_ptr<context>& c,
                                   const executable& e, const item_ptr& entry) {
  std::vector<item_ptr> items;
  for (const executable::node& n : e.nodes) {
    item_ptr item = make_node_item(lock, c, n);
    order(lock, entry, item);
    for (const std::size_t before : n.behind) order(lock, items[before], item);
    if (const auto* record = std::get_if<event_record_operation>(&n.work)) {
      set_record(lock, *record->target, item);
    } else if (const auto* wait = std::get_if<event_wait_operation>(&n.work)) {
      order(lock, wait->target->record, item);
    }
    if (n.child != nullptr && n.enabled) item = submit_child(lock, c, *n.child, item);
    submit(lock, item);
    items.push_back(item);
  }
  return items;
}

void release_if_done(driver_lock& lock, executable& e) {
  if (!e.destroyed || e.in_flight > 0) return;
  e.references.release_all(lock);
  for (const executable::node& n : e.nodes) {
    if (n.child != nullptr) n.child->references.release_all(lock);
  }
}

bool same_shape(const executable& e, const std::vector<node_ptr>& all, graph_trouble& trouble) {
  if (all.size() != e.nodes.size()) {
    trouble.update = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    return false;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    trouble.node = all[i]->handle;
    if (type_of(all[i]->work) != type_of(e.nodes[i].work)) {
      trouble.update = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
      return false;
    }
    if (places_behind(*all[i], all) != e.nodes[i].behind) {
      trouble.update = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
      return false;
    }
  }
  trouble.node = nullptr;
  return true;
}

}  // namespace

handle_table<executable, CUgraphExec>& executables() {
  static auto& only = *new handle_table<executable, CUgraphExec>;
  return only;
}

executable_ptr instantiate(driver_lock& lock, const graph& g, unsigned long long flags,
                           graph_trouble& trouble) {
  const std::vector<node_ptr> all = ordered(g, trouble);
  auto e = std::make_shared<executable>();
  e->flags = flags;
  for (const node_ptr& n : all) {
    if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0 &&
        !launchable_from_device(n->work)) {
      trouble.node = n->handle;
      trouble.instantiation = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
      refuse(CUDA_ERROR_NOT_SUPPORTED);
    }
    executable::node copy{n->work, n->handle, places_behind(*n, all), true, nullptr};
    if (const auto* c = std::get_if<child_operation>(&n->work)) {
      copy.child = instantiate(lock, *c->child, flags, trouble);
    }
    e->nodes.push_back(std::move(copy));
  }
  e->references = g.references.retained(lock);
  return e;
}

void destroy_executable(driver_lock& lock, const executable_ptr& e) {
  executables().erase(e->handle);
  e->destroyed = true;
  release_if_done(lock, *e);
}

void update(driver_lock& lock, executable& e, const graph& g, graph_trouble& trouble) {
  const std::vector<node_ptr> all = in_order(g);
  require(same_shape(e, all, trouble), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  for (std::size_t i = 0; i < all.size(); ++i) {
    executable::node& n = e.nodes[i];
    if (const auto* c = std::get_if<child_operation>(&all[i]->work)) {
      update(lock, *n.child, *c->child, trouble);
    } else {
      n.work = all[i]->work;
    }
  }
}

executable::node& node_of(executable& e, CUgraphNode origin) {
  for (executable::node& n : e.nodes) {
    if (n.origin == origin) return n;
  }
  refuse(CUDA_ERROR_INVALID_VALUE);
}

void launch(driver_lock& lock, stream& s, const executable_ptr& e) {
  const std::shared_ptr<context> c = s.owner.lock();
  const item_ptr entry = make_item(lock, c, executor::nobody);
  order(lock, e->last_launch, entry);
  enqueue(lock, s, entry);
  const std::vector<item_ptr> items = submit_nodes(lock, c, *e, entry);
  const item_ptr exit = make_item(lock, c, executor::nobody);
  for (const item_ptr& item : items) order(lock, item, exit);
  ++e->in_flight;
  exit->then = [e](driver_lock& then_lock) {
    --e->in_flight;
    release_if_done(then_lock, *e);
  };
  e->last_launch = exit;
  enqueue(lock, s, exit);
}

graph_ptr as_graph(driver_lock& lock, const executable& e) {
  const graph_ptr g = create_graph(lock);
  for (const executable::node& n : e.nodes) {
    std::vector<node_ptr> behind;
    for (const std::size_t before : n.behind) behind.push_back(g->nodes[before]);
    add_node(lock, *g, n.enabled ? n.work : operation{empty_operation{}}, std::move(behind));
  }
  return g;
}

}  // namespace streamcts::reference
