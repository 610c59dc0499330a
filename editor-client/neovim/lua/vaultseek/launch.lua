---How the server is started, on each version of Neovim.
local config = require("vaultseek.config")

local M = {}

local has_methods = vim.fn.has("nvim-0.11") == 1

---Call a function of Neovim's client, which is a method from 0.11 on.
function M.call(client, name, ...)
  if has_methods then
    return client[name](client, ...)
  end
  return client[name](...)
end

---Why the server cannot be started, or nil.
---@return string?
function M.missing()
  local command = config.current.cmd[1]
  if vim.fn.executable(command) == 1 then
    return nil
  end
  return ("`%s` is not to be found. "):format(command)
    .. "Install Vaultseek (`pip install .` in its folder) so that it is on your PATH, or name it: "
    .. "require('vaultseek').setup({ cmd = { '/path/to/vaultseek', 'serve' } }). See :help vaultseek-install"
end

---Where Neovim writes what the server says beside the protocol.
---@return string
function M.log_path()
  return require("vim.lsp.log").get_filename()
end

---A workspace folder.
---@param path string
function M.folder_of(path)
  return { uri = vim.uri_from_fname(path), name = vim.fn.fnamemodify(path, ":t") }
end

---The server's settings, with the vaults that are named here; nil where there is nothing to say.
---@return table?
function M.settings()
  local settings = vim.deepcopy(config.current.settings)
  if #config.current.vaults > 0 and settings.vaults == nil then
    settings.vaults = vim.tbl_map(function(path)
      return vim.fn.fnamemodify(path, ":p")
    end, config.current.vaults)
  end
  return next(settings) and { vaultseek = settings } or nil
end

---Start a client.
---@param roots string[] all vaults that it is told of
---@param folder string the one that counts as its root
---@param on {on_progress: function, on_init: function, on_exit: function}
---@return integer? id
function M.start(roots, folder, on)
  local options = {
    name = "vaultseek",
    cmd = config.current.cmd,
    root_dir = folder,
    workspace_folders = vim.tbl_map(M.folder_of, roots),
    init_options = M.settings(),
    settings = M.settings(),
    handlers = { ["$/progress"] = on.on_progress },
    on_init = on.on_init,
    on_exit = on.on_exit,
  }
  if has_methods then
    return vim.lsp.start(options, { attach = false })
  end
  return vim.lsp.start_client(options)
end

return M
