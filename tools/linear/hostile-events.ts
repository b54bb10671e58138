import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { hostileForms, many, numbered } from './hostile-json.ts'
import { type Input, someTexts } from './hostile-texts.ts'
import type { ParameterRow, Place } from './place.ts'

/** The events of a stream: texts, or texts with the name of the event. */
export const events: ParameterRow = { plain: ['{}'], hostile: (place) => eventInputs(place) }

/** The data of the events of such a list. */
export function dataOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map((event: unknown) => String(Array.isArray(event) ? event[0] : event)) : []
}

/** A stream is longer than one event: so many times. */
const streamScale = 8
/** Shortest event with what is around it: `data: {}` and an empty line. */
const frameBytes = 10
/** The number of documents of which a stream with all of them is made. */
const mixedMax = 40

function eventInputs({ documents }: Place): readonly Input[] {
  return [
    ...documents.map((document) => ({ name: `many events {${namesOf(document)}}`, make: (bytes: number) => repeated(document, bytes) })),
    ...documents.flatMap((document) =>
      hostileForms(document).map(({ name, place, make }) => ({
        name: `one event ${name}`,
        place: place === undefined ? undefined : `one event ${place}`,
        make: (bytes: number) => [eventOf(make(bytes))],
      })),
    ),
    ...someTexts.map(({ name, make }) => ({ name: `one event, a ${name}`, make: (bytes: number) => [make(bytes)] })),
    { name: 'many empty events', make: (bytes) => many(bytes, frameBytes, () => '{}') },
    { name: 'many events that are no JSON', make: (bytes) => many(bytes, frameBytes, () => '{') },
    { name: 'events of every form in turn', make: (bytes) => inTurn(documents.slice(0, mixedMax), bytes) },
  ]
}

const namesOf = (document: JsonObject): string => Object.keys(document).slice(0, 6).join(', ')

function repeated(document: JsonObject, bytes: number): readonly (readonly [string, string])[] {
  return many(bytes * streamScale, JSON.stringify(document).length + 1, (index) => eventOf(numbered(document, index)))
}

function inTurn(documents: readonly JsonObject[], bytes: number): readonly (readonly [string, string])[] {
  const length = documents.reduce((sum, document) => sum + JSON.stringify(document).length + 1, 0) / Math.max(1, documents.length)
  return many(bytes * streamScale, length || 2, (index) => eventOf(numbered(documents[index % documents.length] ?? {}, index)))
}

function eventOf(value: Json): readonly [data: string, name: string] {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value['type'] : ''
  return [JSON.stringify(value), typeof type === 'string' ? type : '']
}
