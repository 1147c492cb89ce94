import { useState } from 'react'
import { useGuards } from '~/api/guards'
import { textAt, valueAt, type Doc } from './document'
import { CheckField, JsonField, ListField, MapField, SelectField, TextField, useForm } from './form'

const kinds = [
  ['http', 'HTTP receiver', 'Webhooks and services: each event is a request.'],
  ['kafka', 'Kafka cluster', 'Each event is a record of a topic.'],
  ['guard', 'Guard', 'A guard of this hub forwards it, once.'],
] as const

const masked = 'What is shown masked is kept as it is; put another in its place to change it.'

/** Where to, for every kind of sink. What was written for another kind comes back with it. */
export function SinkFields() {
  const { doc, set } = useForm()
  const kind = textAt(doc, 'sink.kind')
  const [written, setWritten] = useState<Record<string, unknown>>({})
  return (
    <div className="stack">
      <fieldset className="subscriptions-kinds">
        <legend className="field-label">Kind</legend>
        {kinds.map(([one, title, about]) => (
          <label key={one} className="subscriptions-kind">
            <input
              type="radio"
              name="sink-kind"
              value={one}
              checked={kind === one}
              onChange={() => {
                setWritten({ ...written, [kind]: doc['sink'] })
                set('sink', written[one] ?? { kind: one })
              }}
            />
            <strong>{title}</strong>
            <span className="muted">{about}</span>
          </label>
        ))}
      </fieldset>
      {kind === 'http' && <HttpFields key="http" />}
      {kind === 'kafka' && <KafkaFields key="kafka" />}
      {kind === 'guard' && <GuardFields key="guard" />}
      {!kinds.some(([one]) => one === kind) && <p className="muted">This console has no form for the kind “{kind}”. Write it as JSON.</p>}
    </div>
  )
}

function HttpFields() {
  return (
    <>
      <TextField path="sink.url" label="URL" required mono hint="http or https. Its query counts as a secret." />
      <CheckField path="sink.secretUrl" label="The path is a secret too" hint="As with those who put a token there." />
      <div className="subscriptions-columns">
        <SelectField
          path="sink.form"
          label="Form of the request"
          byDefault="binary: attributes as headers"
          options={[
            ['structured', 'structured: one CloudEvents document'],
            ['plain', 'plain: the payload alone'],
            ['binary', 'binary, said in so many words'],
          ]}
        />
        <TextField path="sink.concurrency" label="Requests at a time" number hint="of an instance; 64 if left out" />
      </div>
      <AuthFields />
      <ListField path="sink.signingSecrets" label="Signing secrets" rows={2} hint={`whsec_…, one on each line; two during a rotation, the new one first. ${masked}`} />
      <MapField path="sink.headers" label="Headers" nameLabel="Header" hint={`On every request. Values are secrets. ${masked}`} />
      <details>
        <summary>TLS, proxy and answers</summary>
        <div className="stack subscriptions-more">
          <ListOfPem />
          <TextField path="sink.proxy" label="Proxy" mono hint="http://host:port" />
          <div className="subscriptions-columns">
            <ListField path="sink.retryOn" label="Try again on" number rows={2} hint="statuses from 300 to 499, one on each line" />
            <TextField path="sink.keepAnswer" label="Bytes of an answer that are kept" number hint="4096 if left out" />
          </div>
        </div>
      </details>
    </>
  )
}

function ListOfPem() {
  return (
    <>
      <TextField path="sink.tls.trustOnly" label="Trust only" lines={3} mono hint="certificate authorities, PEM; the JDK’s if left out" />
      <TextField path="sink.tls.alsoTrust" label="Also trust" lines={3} mono hint="certificate authorities beside the JDK’s, PEM" />
      <TextField path="sink.tls.clientCertificate" label="Client certificate" lines={3} mono hint="for mutual TLS, PEM" />
      <TextField path="sink.tls.clientKey" label="Client key" lines={3} mono hint={`PEM. ${masked}`} />
    </>
  )
}

function AuthFields() {
  const { doc, set } = useForm()
  const kind = textAt(doc, 'sink.auth.kind') || 'none'
  const [written, setWritten] = useState<Record<string, unknown>>({})
  return (
    <>
      <div className="field">
        <label className="field-label" htmlFor="sink-auth">
          Authentication
        </label>
        <select
          id="sink-auth"
          className="input"
          value={kind}
          onChange={(event) => {
            const next = event.target.value
            setWritten({ ...written, [kind]: valueAt(doc, 'sink.auth') })
            set('sink.auth', next === 'none' ? undefined : (written[next] ?? { kind: next }))
          }}
        >
          <option value="none">none</option>
          <option value="basic">user and password (basic)</option>
          <option value="bearer">bearer token</option>
          <option value="api-key">API key in a header</option>
          <option value="oauth2">OAuth 2 client credentials</option>
          <option value="jwt">signed token (JWT)</option>
        </select>
      </div>
      {kind === 'basic' && (
        <div className="subscriptions-columns">
          <TextField path="sink.auth.username" label="User" required />
          <TextField path="sink.auth.password" label="Password" required mono hint={masked} />
        </div>
      )}
      {kind === 'bearer' && <TextField path="sink.auth.token" label="Token" required mono hint={masked} />}
      {kind === 'api-key' && (
        <div className="subscriptions-columns">
          <TextField path="sink.auth.header" label="Header" required mono />
          <TextField path="sink.auth.value" label="Key" required mono hint={masked} />
        </div>
      )}
      {kind === 'oauth2' && <OAuthFields key="oauth2" />}
      {kind === 'jwt' && <JwtFields key="jwt" />}
    </>
  )
}

function OAuthFields() {
  return (
    <>
      <TextField path="sink.auth.tokenUrl" label="Token URL" required mono />
      <div className="subscriptions-columns">
        <TextField path="sink.auth.clientId" label="Client id" required mono />
        <TextField path="sink.auth.clientSecret" label="Client secret" required mono hint={masked} />
        <ListField path="sink.auth.scope" label="Scopes" rows={2} hint="one on each line" />
        <TextField path="sink.auth.audience" label="Audience" mono />
      </div>
      <MapField path="sink.auth.parameters" label="Further parameters" nameLabel="Parameter" hint={`Their values are secrets. ${masked}`} />
      <CheckField path="sink.auth.secretInForm" label="Send the client’s secret in the form" hint="instead of in the Authorization header" />
    </>
  )
}

function JwtFields() {
  const { doc } = useForm()
  const algorithm = valueAt(doc, 'sink.auth.algorithm')
  return (
    <>
      <SelectField
        path="sink.auth.algorithm"
        label="Algorithm"
        byDefault="choose one"
        options={[
          ['HS256', 'HS256: a shared secret'],
          ['RS256', 'RS256: an RSA key'],
          ['ES256', 'ES256: an elliptic-curve key'],
        ]}
      />
      {algorithm === 'HS256' && <TextField path="sink.auth.secret" label="Secret" required mono hint={`at least 32 bytes. ${masked}`} />}
      {(algorithm === 'RS256' || algorithm === 'ES256') && <TextField path="sink.auth.key" label="Private key" required mono lines={4} hint={`PEM. ${masked}`} />}
      <div className="subscriptions-columns">
        <TextField path="sink.auth.keyId" label="Key id" mono />
        <TextField path="sink.auth.lifetime" label="Lifetime" hint="10s to 24h; 5m if left out" />
        <TextField path="sink.auth.issuer" label="Issuer" mono />
        <TextField path="sink.auth.subject" label="Subject" mono />
      </div>
      <ListField path="sink.auth.audience" label="Audience" rows={2} hint="one on each line" />
      <JsonField path="sink.auth.claims" label="Further claims" hint="a JSON object" />
    </>
  )
}

function KafkaFields() {
  return (
    <>
      <TextField path="sink.bootstrapServers" label="Bootstrap servers" required mono hint="host:port, separated by commas" />
      <TextField path="sink.topic" label="Topic" mono hint="may hold {aggregateType}, {type} and {source}; {aggregateType}.events if left out" />
      <MapField path="sink.topicsByType" label="Other topics for some types" nameLabel="Type" />
      <MapField path="sink.settings" label="Settings of the producer" nameLabel="Setting" hint={`Security, sizes, buffers, connections. ${masked}`} />
    </>
  )
}

function GuardFields() {
  const guards = useGuards()
  const { doc } = useForm()
  const named = valueAt(doc, 'sink.guard')
  const names = guards.rows.map((guard) => guard.name ?? '')
  const missing = typeof named === 'string' && !guards.hasMore && guards.error === null && !guards.isPending && !names.includes(named)
  return <TextField path="sink.guard" label="Guard" required list={names} hint={missing ? 'No guard of this hub has this name yet.' : 'A guard of this hub, which must be there.'} />
}

/** Of a new one. */
export const emptyDocument: Doc = { sink: { kind: 'http' } }
