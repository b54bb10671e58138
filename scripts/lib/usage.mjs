/**
 * Prints the usage of a script and ends, if that is requested or an argument is unknown to the script: these scripts run for minutes.
 * @param {string} usage
 * @param {(word: string) => boolean} isKnown
 */
export function checkWords(usage, isKnown = () => true) {
  const words = process.argv.slice(2)
  if (words.includes('--help') || words.includes('-h')) {
    console.log(usage)
    process.exit(0)
  }
  const unknown = words.find((word) => !isKnown(word))
  if (unknown === undefined) return
  console.error(`Unknown word ${JSON.stringify(unknown.slice(0, 60))}.\n\n${usage}`)
  process.exit(1)
}
