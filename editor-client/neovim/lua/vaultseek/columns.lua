---Converts between columns of the protocol and bytes of a line.
local M = {}

---The number of bytes and columns of the character that starts with a byte.
local function size_of(byte, encoding)
  if byte < 0xC0 then
    return 1, 1
  elseif byte < 0xE0 then
    return 2, 1
  elseif byte < 0xF0 then
    return 3, 1
  end
  return 4, encoding == "utf-16" and 2 or 1
end

---The byte at which a column starts; a column past the end gives the end.
---@param text string
---@param column integer from 0
---@param encoding string utf-8, utf-16 or utf-32
---@return integer from 0
function M.to_byte(text, column, encoding)
  if encoding == "utf-8" then
    return math.min(column, #text)
  end
  local byte, unit = 0, 0
  while unit < column and byte < #text do
    local n_bytes, n_units = size_of(text:byte(byte + 1), encoding)
    byte, unit = byte + n_bytes, unit + n_units
  end
  return math.min(byte, #text)
end

---The column of a byte.
---@param text string
---@param byte integer from 0
---@param encoding string
---@return integer from 0
function M.of_byte(text, byte, encoding)
  byte = math.min(byte, #text)
  if encoding == "utf-8" then
    return byte
  end
  local at, unit = 0, 0
  while at < byte do
    local n_bytes, n_units = size_of(text:byte(at + 1), encoding)
    at, unit = at + n_bytes, unit + n_units
  end
  return unit
end

return M
