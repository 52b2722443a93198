// Vulkan's lists: asked for twice, first for the length.
#pragma once

#include <cstdint>
#include <vector>

#include <vulkan/vulkan.h>

namespace orthros::vulkan {

// Fills `items` through call(uint32_t* count, Item* items), again where the list grew in between.
template <class Item, class Call>
VkResult enumerateAll(std::vector<Item>& items, const Call& call) {
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {
    uint32_t count = 0;
    result = call(&count, static_cast<Item*>(nullptr));
    if (result != VK_SUCCESS) break;
    items.assign(count, Item{});
    result = call(&count, items.data());
    items.resize(count);
  }
  if (result != VK_SUCCESS) items.clear();
  return result;
}

}  // namespace orthros::vulkan
