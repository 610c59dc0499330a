---Requests to the server. A callback is called once or, after a cancel, never.
local launch = require("vaultseek.launch")
local server = require("vaultseek.server")

local M = {}

---@class vaultseek.Handle
---@field cancel fun()

local pending = {} ---@type table<vaultseek.Handle, fun(problem: string)>
local streams = {} ---@type table<string, fun(value: table)>
local n_tokens = 0

---The position encoding of answers.
---@return string
function M.encoding()
  local client = server.running()
  return client and client.offset_encoding or "utf-16"
end

---Pass partial answers and progress to their request; those of cancelled requests are dropped.
function server.on_progress(params)
  local stream = streams[params.token]
  if stream then
    stream(params.value)
  end
  return stream ~= nil or (type(params.token) == "string" and params.token:find("^vaultseek%-nvim%-") ~= nil)
end

---Tell all pending requests that they will get no answer.
function server.on_stop()
  for _, fail in ipairs(vim.tbl_values(pending)) do
    fail(server.STOPPED)
  end
end

---@param err any
local function message_of(err)
  return type(err) == "table" and err.message or tostring(err)
end

---A token for a stream of `$/progress`.
local function new_token(on_value)
  n_tokens = n_tokens + 1
  local token = "vaultseek-nvim-" .. n_tokens
  streams[token] = on_value
  return token
end

---Send a request.
---@param method string
---@param params table
---@param options {folder: string, buf: integer?, on_partial: fun(value: table)?, on_progress: fun(value: table)?}
---  `buf` is a note whose unsaved text the server must have first
---@param callback fun(problem: string?, result: any)
---@return vaultseek.Handle
function M.request(method, params, options, callback)
  local handle, tokens, cancel = {}, {}, nil
  local function end_streams()
    pending[handle] = nil
    for _, token in ipairs(tokens) do
      streams[token] = nil
    end
  end
  local function finish(problem, result)
    if pending[handle] then
      end_streams()
      callback(problem, result ~= vim.NIL and result or nil)
    end
  end
  function handle.cancel()
    if pending[handle] then
      end_streams()
      if cancel then
        cancel()
      end
    end
  end
  pending[handle] = finish
  server.ensure(options.folder, function(client, problem)
    if not pending[handle] then
      return
    elseif not client then
      return finish(problem)
    end
    params = vim.tbl_extend("force", {}, params)
    for field, on_value in pairs({ partialResultToken = options.on_partial, workDoneToken = options.on_progress }) do
      params[field] = new_token(on_value)
      table.insert(tokens, params[field])
    end
    local buf = options.buf and vim.api.nvim_buf_is_valid(options.buf) and options.buf or nil
    local sent, id = launch.call(client, "request", method, params, function(err, result)
      finish(err and message_of(err), result)
    end, buf)
    if not sent then
      return finish(server.STOPPED)
    end
    cancel = function()
      if server.running() == client then
        launch.call(client, "cancel_request", id)
      end
    end
  end)
  return handle
end

return M
