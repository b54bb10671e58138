/** The first line of a stack trace: Python, JavaScript, Java, Go, Rust. */
const stack =
  /Traceback \(most recent call last\):|(?:^|\n)[ \t]*(?:File "[^"\n]+", line \d+|goroutine \d+ \[|stack backtrace:)|\n[ \t]+at [^\n]+(?::\d+|\.java:\d+\)|\))[ \t]*(?=\n|$)/
/** The last line of a Python traceback, which has the message. */
const pythonError = /^[A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt)\b/
/** Absolute folders, and files with a path. URL paths are not matched. */
const folders = 'usr|home|root|opt|var|tmp|etc|app|srv|mnt|data|workspace|lib|lib64|proc|nix|Users|Library'
const extensions =
  'py|pyc|js|mjs|cjs|ts|go|rs|java|rb|php|c|cc|cpp|cu|h|hpp|so|dll|dylib|gguf|safetensors|bin|pt|json|ya?ml|toml|conf|log|sock'
const paths = new RegExp(
  `(?<![\\w:/.~])(?:~?/(?:${folders})(?:/[\\w.@+=~-]+)+|~?(?:/[\\w.@+=~-]+)+\\.(?:${extensions})\\b|[A-Za-z]:\\\\[\\w.@+=~\\\\ -]+)(?::\\d+)?`,
  'g',
)
/** Only so much of a text is searched and kept: the search blocks other requests. */
const charsMax = 2_000

/** The line behind the last line break, if it has the message of an error. */
function lastLine(trace: string): string {
  const line = trace.slice(trace.lastIndexOf('\n') + 1)
  return line !== trace && pythonError.test(line) ? line : ''
}

/** Removes stack traces and file paths from a vendor's text before a client sees it. */
export function withoutTraces(text: string): string {
  const excerpt = text.slice(0, charsMax)
  const start = excerpt.search(stack)
  if (start < 0) return excerpt.replace(paths, '[path]')
  const head = excerpt.slice(0, start).trim()
  const happened = lastLine(excerpt.slice(start).trimEnd())
  const kept = [head, happened].filter((part) => part !== '').join(' ')
  return kept === '' ? 'the upstream service reported an error' : kept.replace(paths, '[path]')
}
