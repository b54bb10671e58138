import { writeSync } from 'node:fs'
import { type Assignment, chosenCases, type Message } from './assignment.ts'
import { planFor } from './cases.ts'
import { judge } from './measure.ts'

// Measures the cases of some exports, and says before each what it is about to measure: whoever started it ends it if a case does not end.

const assignment: Assignment = JSON.parse(await Bun.stdin.text())

function send(message: Message): void {
  writeSync(1, `${JSON.stringify(message)}\n`)
}

for (const [index, exported] of assignment.exports.entries()) {
  const plan = await planFor(exported, assignment.documents)
  if (plan.kind !== 'called') continue
  const cases = chosenCases(plan.cases, assignment)
  const first = index === 0 ? assignment.firstCase : 0
  for (const [at, test] of cases.entries()) {
    if (at < first) continue
    send({ kind: 'begins', name: test.name, exported: index, at })
    const finding = await judge(test, assignment.bytesMax)
    if (finding !== null) send({ kind: 'found', finding })
  }
}
send({ kind: 'done' })
