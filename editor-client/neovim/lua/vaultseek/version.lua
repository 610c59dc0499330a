---Whether the server and this plugin speak the same protocol, by their versions.
local M = {}

---The plugin's version.
M.own = "0.1.0"

---@param version string
---@return integer[] three numbers
local function numbers(version)
  local first, second, third = version:match("^(%d+)%.?(%d*)%.?(%d*)")
  return { tonumber(first) or 0, tonumber(second) or 0, tonumber(third) or 0 }
end

---Which of the two to update, or nil if they fit: versions 0.x differ by the second number, later ones by the first.
---@param server string
---@return string?
function M.mismatch(server)
  if server == "unknown" then
    return nil -- a source tree that was never installed
  end
  local a, b = numbers(server), numbers(M.own)
  if a[1] == b[1] and (a[1] > 0 or a[2] == b[2]) then
    return nil
  end
  local is_server_older = a[1] < b[1] or (a[1] == b[1] and a[2] < b[2])
  return ("the server has version %s, the plugin %s; some features may not work: update %s"):format(
    server == "" and "?" or server,
    M.own,
    is_server_older and "the server" or "the plugin"
  )
end

return M
