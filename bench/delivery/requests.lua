-- Asks for the lines of a file at random: a path, and after a tab maybe a range.
local requests = {}

function init(arguments)
  math.randomseed(1)
  for line in io.lines(arguments[1]) do
    local path, range = line:match("^([^\t]+)\t?(.*)$")
    local headers = range ~= "" and { Range = range } or {}
    requests[#requests + 1] = wrk.format("GET", path, headers)
  end
end

function request()
  return requests[math.random(#requests)]
end
