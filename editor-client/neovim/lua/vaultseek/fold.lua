---Weak results below a line that unfolds them. Never touches a window.
local M = {}

---@param item table
---@return boolean
function M.is_weak(item)
  return item.strengthLevel == "weak"
end

---@param results table[]
---@return table[] strong, table[] weak each in the server's order
local function split(results)
  local strong, weak = {}, {}
  for _, item in ipairs(results) do
    table.insert(M.is_weak(item) and weak or strong, item)
  end
  return strong, weak
end

---The results, the weak ones last.
---@param results table[]
---@return table[]
function M.weak_last(results)
  local strong, weak = split(results)
  return vim.list_extend(strong, weak)
end

---@param results table[]
---@return boolean
function M.are_all_weak(results)
  local strong = split(results)
  return #results > 0 and #strong == 0
end

---The items of a list: the results, and a line `{ fold = text }` above the weak ones, if only some are weak.
---@param results table[]
---@param is_open boolean whether the weak ones are shown
---@return table[]
function M.items(results, is_open)
  local strong, weak = split(results)
  if #weak == 0 or #strong == 0 then
    return results
  end
  local text = ("%s %d weak result%s"):format(is_open and "▾" or "▸", #weak, #weak == 1 and "" or "s")
  table.insert(strong, { fold = text })
  return is_open and vim.list_extend(strong, weak) or strong
end

return M
