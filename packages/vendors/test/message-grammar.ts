/** One event of a stream, as it stood on the wire. */
export interface WireEvent {
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The events of a stream of messages. @throws Error if one is not framed as Anthropic frames it */
export function wireEvents(text: string): readonly WireEvent[] {
  const frames = text.split('\n\n').filter((frame) => frame !== '')
  return frames.map((frame) => {
    const [first = '', second = '', ...more] = frame.split('\n')
    if (!first.startsWith('event: ') || !second.startsWith('data: ') || more.length > 0) throw new Error(`not an event: ${frame}`)
    // Holds: every event is an object, or the comparison of its name fails.
    const data = JSON.parse(second.slice(6)) as Record<string, unknown>
    const name = first.slice(7)
    if (data['type'] !== name) throw new Error(`${name} carries ${String(data['type'])}`)
    return { name, data }
  })
}

const deltasOf: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
  redacted_thinking: [],
}

type Data = Readonly<Record<string, unknown>>

// Holds: a member that is missing makes the next comparison fail or throw, and with it the test.
const within = (data: Data, name: string): Data => data[name] as Data

/** Where a stream stands. */
class Course {
  readonly faults: string[] = []
  state: 'before' | 'content' | 'ending' | 'over' = 'before'
  /** Type of the open block. */
  open: string | null = null
  /** Index of the last block. */
  at = -1

  /** Notes what is wrong if it is not so. */
  need(isSo: boolean, why: string): void {
    if (!isSo) this.faults.push(why)
  }
}

const steps: Readonly<Record<string, (course: Course, data: Data) => void>> = {
  message_start(course, data) {
    const { content, usage, stop_reason: reason = null } = within(data, 'message')
    course.need(course.state === 'before', 'a second start')
    course.need(Array.isArray(content) && content.length === 0, 'a start with content')
    course.need(usage !== undefined && reason === null, 'a start without usage, or with a reason')
    course.state = 'content'
  },
  content_block_start(course, data) {
    course.need(course.state === 'content' && course.open === null, 'a block within another')
    course.at += 1
    course.need(data['index'] === course.at, `the index ${String(data['index'])} in the place of ${course.at}`)
    course.open = String(within(data, 'content_block')['type'])
  },
  content_block_delta(course, data) {
    const type = String(within(data, 'delta')['type'])
    course.need(course.open !== null && data['index'] === course.at, 'a delta of no open block')
    course.need((deltasOf[course.open ?? ''] ?? []).includes(type), `${type} in a block of ${course.open}`)
  },
  content_block_stop(course, data) {
    course.need(course.open !== null && data['index'] === course.at, 'the end of no open block')
    course.open = null
  },
  message_delta(course, data) {
    course.need(course.state === 'content' && course.open === null, 'a reason before the last block is closed')
    course.need(typeof within(data, 'delta')['stop_reason'] === 'string', 'no reason')
    course.need(typeof within(data, 'usage')['output_tokens'] === 'number', 'no usage')
    course.state = 'ending'
  },
  message_stop(course) {
    course.need(course.state === 'ending', 'an end without a reason')
    course.state = 'over'
  },
  ping: () => undefined,
}

/**
 * What is wrong with the order of the events (Anthropic, "Streaming messages", read 2026-11-23): one start, blocks one after another with
 * consecutive indexes, each with deltas of its own type only, a `message_delta` with the reason and the usage, and the stop.
 */
export function faultsIn(events: readonly WireEvent[]): readonly string[] {
  const course = new Course()
  for (const { name, data } of events) {
    const step = steps[name]
    course.need(course.state !== 'over', `${name} after the end`)
    if (step === undefined) course.need(false, `the unknown event ${name}`)
    else step(course, data)
  }
  course.need(course.state === 'over', 'no end')
  return course.faults
}
