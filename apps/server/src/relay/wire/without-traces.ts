/** Where the stack of a program begins: Python, JavaScript, Java, Go, Rust. */
const stack =
  /(?:^|\n)[ \t]*(?:Traceback \(most recent call last\):|File "[^"\n]+", line \d+|goroutine \d+ \[|stack backtrace:)|\n[ \t]+at [^\n]+(?::\d+|\.java:\d+\)|\))[ \t]*(?=\n|$)/
/** The line that ends a Python stack: what happened. */
const pythonError = /\n([A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt)\b[^\n]*)\s*$/
/** Folders of a machine, and files with their folders. Routes of an API are neither. */
const folders = 'usr|home|root|opt|var|tmp|etc|app|srv|mnt|data|workspace|lib|lib64|proc|nix|Users|Library'
const extensions =
  'py|pyc|js|mjs|cjs|ts|go|rs|java|rb|php|c|cc|cpp|cu|h|hpp|so|dll|dylib|gguf|safetensors|bin|pt|json|ya?ml|toml|conf|log|sock'
const paths = new RegExp(
  `(?<![\\w:/.~])(?:~?/(?:${folders})(?:/[\\w.@+=~-]+)+|~?(?:/[\\w.@+=~-]+)+\\.(?:${extensions})\\b|[A-Za-z]:\\\\[\\w.@+=~\\\\ -]+)(?::\\d+)?`,
  'g',
)
/** Words longer than this are not worth looking through for people who asked something else. */
const charsMax = 2_000

/** A vendor's words for a client: what went wrong, without where in the server's program and on its disk. */
export function withoutTraces(text: string): string {
  const given = text.slice(0, charsMax)
  const start = given.search(stack)
  if (start < 0) return given.replace(paths, '[path]')
  const head = given.slice(0, start).trim()
  const happened = pythonError.exec(given.slice(start))?.[1] ?? ''
  const kept = [head, happened].filter((part) => part !== '').join(' ')
  return kept === '' ? 'the upstream service reported an error' : kept.replace(paths, '[path]')
}
