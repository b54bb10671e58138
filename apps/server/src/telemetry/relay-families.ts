import type { Family, Labels, Sample } from './exposition.ts'
import { type Cell, outcomes, type RelayFigures, statusClasses, tokenClasses, units } from './relay-figures.ts'

/** The metrics of relay requests. Series that are still zero are omitted. */
export function relayFamilies(figures: RelayFigures): readonly Family[] {
  const cells = (samplesOf: (cell: Cell, labels: Labels) => readonly Sample[]) => () =>
    figures.cells.flatMap((cell) => samplesOf(cell, { kind: cell.kind, model: cell.model, channel: cell.channel }))
  const models = (histogram: 'duration' | 'firstToken') => () =>
    figures.models.map(({ kind, model, ...times }) => ({ labels: { kind, model }, value: times[histogram] }))
  return [
    {
      name: 'sluice_requests_total',
      type: 'counter',
      help: 'Requests to the relay that are over, by how they ended and by the class of their HTTP status.',
      samples: cells(endSamples),
    },
    {
      name: 'sluice_request_errors_total',
      type: 'counter',
      help: 'Error responses of the relay, by code.',
      samples: () => countsOf(figures.errors, 'code'),
    },
    {
      name: 'sluice_tokens_total',
      type: 'counter',
      help: 'Tokens that were charged for. Every class but prompt and completion is a part of one of these two.',
      samples: cells((cell, labels) =>
        tokenClasses.flatMap(({ name }, slot) => counted(cell.tokens[slot] ?? 0, { ...labels, class: name })),
      ),
    },
    {
      name: 'sluice_units_total',
      type: 'counter',
      help: 'Billed units other than tokens: images, characters, seconds of audio, searches.',
      samples: cells((cell, labels) => units.flatMap(({ name }, slot) => counted(cell.units[slot] ?? 0, { ...labels, unit: name }))),
    },
    {
      name: 'sluice_quota_charged_total',
      type: 'counter',
      help: 'Quota that was charged for requests.',
      samples: cells((cell, labels) => counted(cell.quota, labels)),
    },
    {
      name: 'sluice_request_duration_seconds',
      type: 'histogram',
      help: 'Time from the arrival of a request to the end of its response.',
      samples: models('duration'),
    },
    {
      name: 'sluice_time_to_first_token_seconds',
      type: 'histogram',
      help: 'Time from the arrival of a request to the first byte of its stream.',
      samples: models('firstToken'),
    },
    gauge('sluice_requests_in_flight', 'Requests to the relay that are not over.', () => figures.inFlight),
    gauge('sluice_streams_open', 'Streams that are being sent.', () => figures.streams),
    {
      name: 'sluice_request_measurements_total',
      type: 'counter',
      help: 'Requests whose images, audio, files or text were measured for their price, by kind.',
      samples: () => countsOf(figures.measurements, 'kind'),
    },
    ...channelFamilies(figures),
  ]
}

function channelFamilies(figures: RelayFigures): readonly Family[] {
  return [
    {
      name: 'sluice_attempts_total',
      type: 'counter',
      help: 'Attempts at channels, by result.',
      samples: () =>
        figures.channels.flatMap(({ id, served, failures }) => [
          ...counted(served, { channel: id, result: 'answered' }),
          ...[...failures].map(([result, value]) => ({ labels: { channel: id, result }, value })),
        ]),
    },
    {
      name: 'sluice_attempt_duration_seconds',
      type: 'histogram',
      help: 'Time from the start of an attempt to a whole response, the first event of a stream, or a failure.',
      samples: () => figures.channels.map(({ id, duration }) => ({ labels: { channel: id }, value: duration })),
    },
    {
      name: 'sluice_retries_total',
      type: 'counter',
      help: 'Attempts beyond the first of a request.',
      samples: () => [{ value: figures.retries }],
    },
    {
      name: 'sluice_usage_suspect_total',
      type: 'counter',
      help: 'Responses with implausible usage, which was counted locally.',
      samples: () => figures.channels.flatMap(({ id, suspect }) => counted(suspect, { channel: id })),
    },
    {
      name: 'sluice_channel_info',
      type: 'gauge',
      help: 'Always 1: what a channel that was used is called, and its vendor.',
      samples: () => figures.channels.map(({ id, name, vendor }) => ({ labels: { channel: id, name, vendor }, value: 1 })),
    },
  ]
}

export function gauge(name: Family['name'], help: string, read: () => number): Family {
  return { name, type: 'gauge', help, samples: () => [{ value: read() }] }
}

export function countsOf(counts: ReadonlyMap<string, number>, label: string): readonly Sample[] {
  return [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }))
}

function endSamples({ ends }: Cell, labels: Labels): readonly Sample[] {
  return outcomes.flatMap((outcome, row) =>
    statusClasses.flatMap((status, column) => counted(ends[row * statusClasses.length + column] ?? 0, { ...labels, outcome, status })),
  )
}

function counted(value: number, labels: Labels): readonly Sample[] {
  return value === 0 ? [] : [{ labels, value }]
}
