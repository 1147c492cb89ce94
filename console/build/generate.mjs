// Writes the API's types from docs/openapi.yaml to target/generated/api.ts. They are types alone: nothing of them is in the bundle.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { openapi, root } from './inputs.mjs'

const target = join(root, 'target/generated/api.ts')

const ast = await openapiTS(pathToFileURL(openapi), {
  // The document calls a duration an object with the example 30s; on the wire it is text.
  transform: (schema) =>
    schema.type === 'object' && schema.example === '30s' && schema.properties === undefined
      ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword)
      : undefined,
})
const text = astToString(ast)
// Untouched if nothing changed, so that a running dev server does not reload.
if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
}
