---Starts the server on each supported version of Neovim.
local config = require("vaultseek.config")

local M = {}

local has_methods = vim.fn.has("nvim-0.11") == 1

---Call a function of Neovim's client; since 0.11 it is a method.
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
  return ("`%s` was not found. "):format(command)
    .. "Install Vaultseek (`pip install .` in its folder) so that it is on your PATH, or set its path: "
    .. "require('vaultseek').setup({ cmd = { '/path/to/vaultseek', 'serve' } }). See :help vaultseek-install"
end

---The file to which Neovim writes the server's standard error.
---@return string
function M.log_path()
  return require("vim.lsp.log").get_filename()
end

---A workspace folder.
---@param path string
function M.folder_of(path)
  return { uri = vim.uri_from_fname(path), name = vim.fn.fnamemodify(path, ":t") }
end

---The server's settings, including `vaults`; nil if there are none.
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

---The server's command with a full path, if it has a path: it is not started in the current folder.
---@return string[]
local function command()
  local words = vim.deepcopy(config.current.cmd)
  if words[1]:find("/", 1, true) then
    words[1] = vim.fn.fnamemodify(words[1], ":p")
  end
  return words
end

---Start a client.
---@param roots string[] all vaults of the session
---@param folder string the vault to use as the root folder
---@param on {on_progress: function, on_init: function, on_exit: function}
---@return integer? id
function M.start(roots, folder, on)
  local options = {
    name = "vaultseek",
    cmd = command(),
    cmd_cwd = vim.loop.os_homedir(), -- in a vault, `python -m` or Windows would start what the vault calls so
    root_dir = folder,
    workspace_folders = vim.tbl_map(M.folder_of, roots),
    init_options = M.settings(),
    settings = M.settings(),
    handlers = { ["$/progress"] = on.on_progress },
    on_init = on.on_init,
    on_exit = on.on_exit,
  }
  if has_methods then
    -- A client that `vim.lsp.enable` started has none of these callbacks.
    local function never()
      return false
    end
    return vim.lsp.start(options, { attach = false, reuse_client = never })
  end
  return vim.lsp.start_client(options)
end

return M
