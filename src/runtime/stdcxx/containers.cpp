// The node functions of std::list, std::map and std::set as instrumented code: forward.cpp calls these instead of
// libstdc++'s functions. The nodes belong to the program. Their state is as the program's code and the rest of
// libstdc++ expect it.
#include "runtime/stdcxx/redirect.hpp"

#define LOCKSTEP_COPY extern "C" __attribute__((visibility("hidden")))

namespace {

struct ListNode {
  ListNode *next, *previous;

  void link(ListNode* after) {
    next = after;
    after->previous = this;
  }
};

struct TreeNode {
  enum Colour { kRed, kBlack } colour;
  TreeNode *parent, *left, *right;
};

// A red-black tree with a header node, which is above the root, before the first node and after the last.
struct Header : TreeNode {
  TreeNode*& root() { return parent; }
  TreeNode*& first() { return left; }
  TreeNode*& last() { return right; }

  // Replaces a subtree by another one.
  void replace(TreeNode* old, TreeNode* with) {
    if (root() == old)
      root() = with;
    else if (old->parent->left == old)
      old->parent->left = with;
    else
      old->parent->right = with;
  }
  // Moves the child on the other side up into the node's place. kLeft: the node moves down to the left.
  template <TreeNode* TreeNode::*kSide, TreeNode* TreeNode::*kOther>
  void rotate(TreeNode* node) {
    TreeNode* child = node->*kOther;
    node->*kOther = child->*kSide;
    if (child->*kSide) (child->*kSide)->parent = node;
    child->parent = node->parent;
    replace(node, child);
    child->*kSide = node;
    node->parent = child;
  }

  // A red node has a red parent, which is its grandparent's child at kSide.
  template <TreeNode* TreeNode::*kSide, TreeNode* TreeNode::*kOther>
  TreeNode* mend_red(TreeNode* node) {
    TreeNode* const grandparent = node->parent->parent;
    TreeNode* const uncle = grandparent->*kOther;
    if (uncle && uncle->colour == kRed) {
      node->parent->colour = kBlack;
      uncle->colour = kBlack;
      grandparent->colour = kRed;
      return grandparent;
    }
    if (node == node->parent->*kOther) {
      node = node->parent;
      rotate<kSide, kOther>(node);
    }
    node->parent->colour = kBlack;
    grandparent->colour = kRed;
    rotate<kOther, kSide>(grandparent);
    return node;
  }
  void mend_red(TreeNode* node) {
    while (node != root() && node->parent->colour == kRed)
      node = node->parent == node->parent->parent->left ? mend_red<&TreeNode::left, &TreeNode::right>(node)
                                                        : mend_red<&TreeNode::right, &TreeNode::left>(node);
    root()->colour = kBlack;
  }

  // The paths through `node` have one black node too few. `node` may be null; it is its parent's child at kSide. True
  // if this is repaired; otherwise it now applies to the paths through the parent.
  template <TreeNode* TreeNode::*kSide, TreeNode* TreeNode::*kOther>
  bool mend_black(TreeNode* node_parent) {
    TreeNode* sibling = node_parent->*kOther;
    if (sibling->colour == kRed) {
      sibling->colour = kBlack;
      node_parent->colour = kRed;
      rotate<kSide, kOther>(node_parent);
      sibling = node_parent->*kOther;
    }
    // NOLINTBEGIN(clang-analyzer-core.NullDereference): there is a sibling, and what is not black is there
    auto is_black = [](TreeNode* node) { return !node || node->colour == kBlack; };
    if (is_black(sibling->*kSide) && is_black(sibling->*kOther)) {
      sibling->colour = kRed;
      return false;
    }
    if (is_black(sibling->*kOther)) {
      (sibling->*kSide)->colour = kBlack;
      sibling->colour = kRed;
      rotate<kOther, kSide>(sibling);
      sibling = node_parent->*kOther;
    }
    sibling->colour = node_parent->colour;
    node_parent->colour = kBlack;
    (sibling->*kOther)->colour = kBlack;
    // NOLINTEND(clang-analyzer-core.NullDereference)
    rotate<kSide, kOther>(node_parent);
    return true;
  }
  void mend_black(TreeNode* node, TreeNode* node_parent) {
    while (node != root() && (!node || node->colour == kBlack)) {
      const bool mended = node == node_parent->left ? mend_black<&TreeNode::left, &TreeNode::right>(node_parent)
                                                    : mend_black<&TreeNode::right, &TreeNode::left>(node_parent);
      if (mended) return;
      node = node_parent;
      node_parent = node_parent->parent;
    }
    if (node) node->colour = kBlack;
  }
};

TreeNode* leftmost(TreeNode* node) {
  while (node->left) node = node->left;
  return node;
}
TreeNode* rightmost(TreeNode* node) {
  while (node->right) node = node->right;
  return node;
}

}  // namespace

LOCKSTEP_COPY void lockstep_list_hook(ListNode* node, ListNode* before) {
  node->next = before;
  node->previous = before->previous;
  before->previous->next = node;
  before->previous = node;
}
LOCKSTEP_COPY void lockstep_list_unhook(ListNode* node) { node->previous->link(node->next); }
// Moves the nodes from `first` up to `last` before `node`.
LOCKSTEP_COPY void lockstep_list_transfer(ListNode* node, ListNode* first, ListNode* last) {
  if (node == last) return;
  ListNode *const before_first = first->previous, *const final = last->previous, *const before = node->previous;
  before_first->link(last);
  before->link(first);
  final->link(node);
}
LOCKSTEP_COPY void lockstep_list_reverse(ListNode* head) {
  ListNode* node = head;
  do {
    ListNode* const next = node->next;
    node->next = node->previous;
    node->previous = next;
    node = next;
  } while (node != head);
}
LOCKSTEP_COPY void lockstep_list_swap(ListNode& a, ListNode& b) {
  const ListNode was_a = a, was_b = b;
  const bool empty_a = was_a.next == &a, empty_b = was_b.next == &b;
  if (!empty_b) {
    a.link(was_b.next);
    was_b.previous->link(&a);
  } else if (!empty_a) {
    a.next = a.previous = &a;
  }
  if (!empty_a) {
    b.link(was_a.next);
    was_a.previous->link(&b);
  } else if (!empty_b) {
    b.next = b.previous = &b;
  }
}

LOCKSTEP_COPY TreeNode* lockstep_tree_increment(TreeNode* node) {
  if (node->right) return leftmost(node->right);
  TreeNode* above = node->parent;
  while (node == above->right) {
    node = above;
    above = above->parent;
  }
  return node->right != above ? above : node;  // the header, if it passed the last node and the root has no right child
}
LOCKSTEP_COPY TreeNode* lockstep_tree_decrement(TreeNode* node) {
  if (node->colour == TreeNode::kRed && node->parent->parent == node)
    return node->right;  // `node` is the header: to the last node
  if (node->left) return rightmost(node->left);
  TreeNode* above = node->parent;
  while (node == above->left) {
    node = above;
    above = above->parent;
  }
  return above;
}

LOCKSTEP_COPY void lockstep_tree_insert(bool left, TreeNode* node, TreeNode* parent, Header& header) {
  *node = {TreeNode::kRed, parent, nullptr, nullptr};
  if (parent == &header) {
    header.root() = header.first() = header.last() = node;
  } else if (left) {
    parent->left = node;
    if (parent == header.first()) header.first() = node;
  } else {
    parent->right = node;
    if (parent == header.last()) header.last() = node;
  }
  header.mend_red(node);
}

LOCKSTEP_COPY TreeNode* lockstep_tree_erase(TreeNode* node, Header& header) {
  TreeNode *below, *below_parent;  // the node that moves up, and its parent
  TreeNode::Colour lost = node->colour;
  if (!node->left || !node->right) {
    below = node->left ? node->left : node->right;
    below_parent = node->parent;
    if (below) below->parent = below_parent;
    header.replace(node, below);
    if (header.first() == node) header.first() = below ? leftmost(below) : below_parent;
    if (header.last() == node) header.last() = below ? rightmost(below) : below_parent;
  } else {  // the next node takes its place
    TreeNode* const next = leftmost(node->right);
    lost = next->colour;
    below = next->right;
    node->left->parent = next;
    next->left = node->left;
    if (next == node->right) {
      below_parent = next;
    } else {
      below_parent = next->parent;
      if (below) below->parent = below_parent;
      below_parent->left = below;
      next->right = node->right;
      node->right->parent = next;
    }
    header.replace(node, next);
    next->parent = node->parent;
    next->colour = node->colour;
  }
  if (lost == TreeNode::kBlack) header.mend_black(below, below_parent);
  return node;
}
