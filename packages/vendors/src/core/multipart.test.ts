import { describe, expect, test } from 'bun:test'
import { multipart } from './multipart.ts'

describe('a form', () => {
  const bytes = new Uint8Array([0, 13, 10, 255])
  const form = multipart(
    [
      { name: 'note', text: 'größer' },
      { name: 'image', fileName: 'a"b\r\n.png', contentType: 'image/png\r\nx: y', bytes },
    ],
    '0199-a b"c',
  )

  test('is read by the platform as it was written', async () => {
    const body = new Response(new Blob([new Uint8Array(form.body)]), { headers: form.headers })
    const read = await body.formData()
    const image = read.get('image')
    expect(read.get('note')).toBe('größer')
    expect(image).toBeInstanceOf(Blob)
    expect(new Uint8Array(await new Response(image as unknown as Blob).arrayBuffer())).toEqual(bytes)
  })

  test('has a boundary that is made of its key', () => {
    expect(form.headers['content-type']).toBe('multipart/form-data; boundary=form-0199-abc')
  })

  test('holds no line breaks or quotation marks in a name', () => {
    expect(new TextDecoder().decode(form.body)).toContain('filename="a%22b%0D%0A.png"\r\ncontent-type: application/octet-stream\r\n\r\n')
  })
})
