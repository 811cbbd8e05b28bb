-- Sends a body to the paths that are the lines of a file, one after the other.
local paths, body, at = {}, nil, 0

function init(arguments)
  for line in io.lines(arguments[1]) do
    paths[#paths + 1] = line:match("^([^\t]+)")
  end
  body = io.open(arguments[2], "rb"):read("*a")
end

function request()
  at = at % #paths + 1
  return wrk.format("PUT", paths[at], { ["Content-Type"] = "application/octet-stream" }, body)
end
