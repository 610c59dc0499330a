---Messages to the user.
local M = {}

---@param text string
---@param level integer?
function M.tell(text, level)
  vim.notify("vaultseek: " .. text, level or vim.log.levels.INFO)
end

function M.warn(text)
  M.tell(text, vim.log.levels.WARN)
end

function M.fail(text)
  M.tell(text, vim.log.levels.ERROR)
end

---Show progress in a line that the next one replaces and that `:messages` does not keep.
---@param text string
function M.show_progress(text)
  local width = math.max(vim.o.columns - 12, 10)
  vim.api.nvim_echo({ { vim.fn.strcharpart("vaultseek: " .. text, 0, width) } }, false, {})
end

return M
