---The one server for all vaults: starts it, sends notes to it, and starts it again after a crash.
local config = require("vaultseek.config")
local launch = require("vaultseek.launch")
local message = require("vaultseek.message")
local root = require("vaultseek.root")
local version = require("vaultseek.version")

local M = {}

---A server that crashes at its start is not started again by a key within this time.
local PAUSE_MS = 5000
M.STOPPED = "the server stopped; the next search starts it again"

---Called with each `$/progress`; returns whether it belongs to a request of this plugin.
---@param _params table
---@return boolean
function M.on_progress(_params)
  return false
end

---Called when the server has stopped, on purpose or not.
function M.on_stop() end

local state = {
  id = nil, ---@type integer? the running client
  ready = false,
  roots = {}, ---@type string[] vaults of the session, also after a restart
  waiting = {}, ---@type fun(client: table?, problem: string?)[]
  failed_at = nil, ---@type integer? when it last crashed before it was ready
  crashed = false,
  stopping = false,
  after_exit = nil, ---@type fun()?
  reported_missing = false,
  warned = false, -- of a server of another version
}

---@return table? client
function M.running()
  return state.id and vim.lsp.get_client_by_id(state.id)
end

local function on_progress(err, params, ctx, more)
  if not (params and M.on_progress(params)) then
    return vim.lsp.handlers["$/progress"](err, params, ctx, more)
  end
end

local function tell_waiting(client, problem)
  local waiting = state.waiting
  state.waiting = {}
  for _, callback in ipairs(waiting) do
    callback(client, problem)
  end
end

---@param code integer
---@param signal integer
local function after_stop(code, signal)
  local was_meant, after = state.stopping, state.after_exit
  state.failed_at = not state.ready and vim.loop.now() or nil
  state.id, state.ready, state.stopping, state.after_exit = nil, false, false, nil
  state.crashed = not was_meant
  M.on_stop()
  tell_waiting(nil, M.STOPPED)
  if after then
    after()
  elseif not was_meant then
    local how = signal ~= 0 and ("signal %d"):format(signal) or ("exit code %d"):format(code)
    message.warn(("%s (%s; see %s)"):format(M.STOPPED, how, launch.log_path()))
  end
end

local function on_exit(code, signal, id)
  vim.schedule(function()
    if id == state.id then
      after_stop(code, signal)
    end
  end)
end

local function on_init(client, result)
  state.ready, state.crashed, state.failed_at = true, false, nil
  local problem = version.mismatch((result and result.serverInfo or {}).version or "")
  if problem and not state.warned then
    state.warned = true
    message.warn(problem)
  end
  tell_waiting(client)
end

---Start a server, and send it all open notes.
---@param folder string
local function start(folder)
  if not vim.tbl_contains(state.roots, folder) then
    table.insert(state.roots, folder)
  end
  state.id = launch.start(state.roots, folder, { on_progress = on_progress, on_init = on_init, on_exit = on_exit })
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if state.id and root.of_buffer(buf) then
      vim.lsp.buf_attach_client(buf, state.id)
    end
  end
end

---Add a vault to a running server.
local function add_folder(client, folder)
  if vim.tbl_contains(state.roots, folder) then
    return
  end
  table.insert(state.roots, folder)
  local added = launch.folder_of(folder)
  if type(client.workspace_folders) == "table" then
    table.insert(client.workspace_folders, added)
  end
  launch.call(client, "notify", "workspace/didChangeWorkspaceFolders", { event = { added = { added }, removed = {} } })
end

---A running server to which a vault was added.
---@param folder string
---@param callback fun(client: table?, problem: string?)
function M.ensure(folder, callback)
  local function go_on(client, problem)
    if client then
      add_folder(client, folder)
    end
    callback(client, problem)
  end
  if state.id and state.ready then
    return go_on(M.running())
  end
  if not state.id then
    local problem = launch.missing()
    if not problem and state.failed_at and vim.loop.now() - state.failed_at < PAUSE_MS then
      problem = "the server does not start; see " .. launch.log_path()
    end
    if not problem then
      start(folder)
      problem = not state.id and "the server could not be started" or nil
    end
    if problem then
      return callback(nil, problem)
    end
  end
  table.insert(state.waiting, go_on)
end

---Send a note to the server; the first note starts it.
---@param buf integer
function M.attach(buf)
  local folder = root.of_buffer(buf)
  if not folder or (not state.id and (state.crashed or not config.current.autostart)) then
    return
  end
  root.last = folder
  local problem = not state.id and launch.missing()
  if problem then
    if not state.reported_missing then
      state.reported_missing = true
      message.warn(problem)
    end
    return
  end
  M.ensure(folder, function() end)
  if state.id then
    vim.lsp.buf_attach_client(buf, state.id)
  end
end

---Send changed settings to a running server.
function M.send_settings()
  local client = M.running()
  if client and state.ready then
    local settings = launch.settings() or { vaultseek = vim.empty_dict() }
    client.config.settings = settings
    client.settings = settings
    launch.call(client, "notify", "workspace/didChangeConfiguration", { settings = settings })
  end
end

---Stop the server, and start it again for the same vaults.
function M.restart()
  local folder = state.roots[1] or root.meant(vim.api.nvim_get_current_buf())
  local function again()
    state.failed_at = nil
    if not folder then
      return message.warn("no vault is open")
    end
    M.ensure(folder, function(client, problem)
      if client then
        message.tell("the server was restarted")
      else
        message.fail(problem)
      end
    end)
  end
  local client = M.running()
  if not client then
    return again()
  end
  state.stopping, state.after_exit = true, again
  local id = state.id
  launch.call(client, "stop")
  vim.defer_fn(function()
    if state.id == id then
      vim.lsp.stop_client(id, true)
    end
  end, 2000)
end

return M
