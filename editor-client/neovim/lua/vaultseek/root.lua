---Finds the vault of a note.
local config = require("vaultseek.config")

local M = {}

---The vault that was used last.
---@type string?
M.last = nil

---@param path string
---@return string absolute, without a trailing slash; symbolic links are kept
local function normal(path)
  path = vim.fn.fnamemodify(path, ":p")
  if vim.fn.has("win32") == 1 then
    path = path:gsub("\\", "/")
  end
  return path == "/" and path or (path:gsub("/+$", ""))
end

---@param path string
---@param folder string
local function lies_in(path, folder)
  return path == folder or path:sub(1, #folder + 1) == (folder == "/" and "/" or folder .. "/")
end

---The vault of a file or folder: one named in `vaults`, else the nearest parent folder with the first root marker, else
---the nearest one with the second marker, and so on.
---@param path string
---@return string?
function M.of_path(path)
  path = normal(path)
  local best
  for _, vault in ipairs(config.current.vaults) do
    vault = normal(vault)
    if lies_in(path, vault) and (not best or #vault > #best) then
      best = vault
    end
  end
  if best then
    return best
  end
  for _, marker in ipairs(config.current.root_markers) do
    local folder = path
    while true do
      if vim.loop.fs_stat((folder == "/" and "" or folder) .. "/" .. marker) then
        return folder
      end
      local above = vim.fn.fnamemodify(folder, ":h")
      if above == folder or above == "." then
        break
      end
      folder = above
    end
  end
end

---Whether a buffer is a note to send to the server.
---@param buf integer
---@return boolean
function M.is_note(buf)
  return vim.api.nvim_buf_is_loaded(buf)
    and vim.bo[buf].buftype == ""
    and vim.tbl_contains(config.current.filetypes, vim.bo[buf].filetype)
    and vim.api.nvim_buf_get_name(buf) ~= ""
    and not vim.api.nvim_buf_get_name(buf):find("^%a[%w+.-]+://")
end

---The vault of a buffer, if the buffer is a note.
---@param buf integer
---@return string?
function M.of_buffer(buf)
  return M.is_note(buf) and M.of_path(vim.api.nvim_buf_get_name(buf)) or nil
end

---A folder in the form in which it is sent to the server.
---@param path string
---@return string
function M.named(path)
  return normal(path)
end

---The vault for a command that was given in a buffer: the buffer's own vault, else the one used last, else that of the
---current folder, else the only configured one.
---@param buf integer
---@return string?
function M.meant(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  local is_file = vim.bo[buf].buftype == "" and name ~= "" and not name:find("^%a[%w+.-]+://")
  local found = is_file and M.of_path(name) or M.last or M.of_path(vim.fn.getcwd())
  if not found and #config.current.vaults == 1 then
    found = normal(config.current.vaults[1])
  end
  M.last = found or M.last
  return found
end

return M
