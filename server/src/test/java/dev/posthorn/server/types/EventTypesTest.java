package dev.posthorn.server.types;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.FileDescriptor;
import dev.posthorn.server.RecordedAtHub;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.v1.Event;
import dev.posthorn.v1.PublishBatchRequest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class EventTypesTest {

    private static TestHub hub;
    private static TestHub strict;

    @BeforeAll
    static void start() {
        hub = TestHub.start();
        strict = TestHub.start(Map.of("posthorn.event-types", "strict"));
    }

    @AfterAll
    static void stop() {
        hub.close();
        strict.close();
    }

    private static Answer put(String name, String document) {
        return hub.rest().put("/v1/event-types/" + name, document);
    }

    private static Answer publish(String type, String fields) {
        return hub.rest().post("/v1/events", event(type, fields));
    }

    private static String event(String type, String fields) {
        return "{\"source\":\"s\",\"type\":\"%s\",%s}".formatted(type, fields);
    }

    private static void assertRefused(Answer answer, String field, String rule) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        JsonNode violation = answer.json().get("violations").get(0);
        assertThat(violation.get("field").asString()).isEqualTo(field);
        assertThat(violation.get("rule").asString()).contains(rule);
    }

    /** A publisher that does not know what became of its batch repeats it, and nothing of it may come to nothing. */
    @Test
    void whatIsKnownAlreadyIsADuplicateWhateverItsTypeSaysNow() {
        put("grown", "{}");
        String known = event("grown", "\"id\":\"grown-1\",\"data\":{\"total\":1}");
        assertThat(hub.rest().post("/v1/events", known).status()).isEqualTo(202);
        put("grown", "{\"jsonSchema\": {\"required\": [\"currency\"]}}");

        Answer again = hub.rest().post("/v1/events", known);
        assertThat(again.status()).as(again.text()).isEqualTo(200);
        assertThat(again.json().get("duplicate").asBoolean()).isTrue();
        String fresh = event("grown", "\"id\":\"grown-2\",\"data\":{\"currency\":\"EUR\"}");
        Answer batch = hub.rest().post("/v1/events", "[%s,%s]".formatted(known, fresh));
        assertThat(batch.status()).as(batch.text()).isEqualTo(202);
        assertThat(batch.json().findValuesAsString("duplicate")).containsExactly("true", "false");

        String bad = event("grown", "\"id\":\"grown-3\",\"data\":{\"total\":3}");
        Answer refused = hub.rest().post("/v1/events", "[%s,%s]".formatted(known, bad));
        assertRefused(refused, "[1].data.currency", "currency");
        assertThat(refused.json().get("violations")).hasSize(1);
        String other = event("grown", "\"id\":\"grown-1\",\"data\":{\"total\":2}");
        assertRefused(hub.rest().post("/v1/events", other), "data.currency", "currency");
    }

    @Test
    void aTypeIsRegisteredReadChangedAndForgotten() {
        Answer created = put(
                "life", "{\"description\": \"d\", \"aggregateType\": \"a\", \"jsonSchema\": {\"type\": \"object\"}}");
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.header("ETag")).isEqualTo("\"1\"");
        JsonNode type = hub.rest().get("/v1/event-types/life").json();
        assertThat(type).isEqualTo(created.json());
        assertThat(type.get("name").asString()).isEqualTo("life");
        assertThat(type.get("revision").asInt()).isEqualTo(1);
        assertThat(type.get("seen").asBoolean()).isFalse();
        assertThat(type.get("jsonSchema").toString()).isEqualTo("{\"type\":\"object\"}");
        assertThat(type.has("protobuf")).isFalse();
        assertThat(type.get("createdAt").asString()).endsWith("Z");

        Answer changed = put("life", "{\"description\": \"e\"}");
        assertThat(changed.status()).isEqualTo(200);
        assertThat(changed.header("ETag")).isEqualTo("\"2\"");
        assertThat(changed.json().has("jsonSchema")).isFalse();
        assertThat(put("life", "{\"description\": \"e\"}").header("ETag")).isEqualTo("\"2\"");

        assertThat(hub.rest().delete("/v1/event-types/life").status()).isEqualTo(204);
        assertThat(hub.rest().delete("/v1/event-types/life").status()).isEqualTo(404);
        assertThat(hub.rest().get("/v1/event-types/life").status()).isEqualTo(404);
    }

    @Test
    void aChangeCanDemandARevision() {
        put("demand", "{}");
        assertThat(hub.rest()
                        .with("If-None-Match", "*")
                        .put("/v1/event-types/demand", "{\"description\":\"x\"}")
                        .status())
                .isEqualTo(412);
        assertThat(hub.rest()
                        .with("If-Match", "\"7\"")
                        .put("/v1/event-types/demand", "{\"description\":\"x\"}")
                        .status())
                .isEqualTo(412);
        assertThat(hub.rest()
                        .with("If-Match", "\"7\"")
                        .delete("/v1/event-types/demand")
                        .status())
                .isEqualTo(412);
        assertThat(hub.rest()
                        .with("If-Match", "\"1\"")
                        .put("/v1/event-types/not-there", "{}")
                        .status())
                .isEqualTo(412);
        assertThat(hub.rest()
                        .with("If-Match", "\"1\"")
                        .put("/v1/event-types/demand", "{\"description\":\"x\"}")
                        .status())
                .isEqualTo(200);
        assertThat(hub.rest()
                        .with("If-Match", "\"2\"")
                        .delete("/v1/event-types/demand")
                        .status())
                .isEqualTo(204);
        assertThat(hub.rest()
                        .with("If-None-Match", "*")
                        .put("/v1/event-types/demand", "{}")
                        .status())
                .isEqualTo(201);
    }

    @Test
    void typesAreListedByNameInPages() {
        for (String name : new String[] {"list.c", "list.a", "list.B"}) {
            put(name, "{}");
        }
        StringBuilder names = new StringBuilder();
        String after = "";
        do {
            JsonNode page = hub.rest().get("/v1/event-types?limit=1" + after).json();
            assertThat(page.get("items")).hasSize(1);
            names.append(page.get("items").get(0).get("name").asString()).append(' ');
            after = page.has("next") ? "&after=" + page.get("next").asString() : "";
        } while (!after.isEmpty());
        assertThat(names.toString()).contains("list.B list.a list.c ");
        for (String query : new String[] {"limit=0", "limit=1001", "limit=x", "after=*", "after=a.b", "after=AA"}) {
            assertThat(hub.rest().get("/v1/event-types?" + query).status())
                    .as(query)
                    .isEqualTo(400);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]||one JSON object",
                "{||not JSON",
                "{'x':1}|x|known are aggregateType, contentType",
                "{'description':{}}|description|wrong type",
                "{'description':'\\u0000'}|description|NUL",
                "{'description':'\\ud800'}|description|surrogate",
                "{'aggregateType':'a b'}|aggregateType|visible ASCII",
                "{'contentType':'json'}|contentType|media type",
                "{'jsonSchema':5}|jsonSchema|object or a boolean",
                "{'jsonSchema':{'type':'objekt'}}|jsonSchema.type|enumeration",
                "{'jsonSchema':{'properties':{'a':{'minimum':'x'}}}}|jsonSchema.properties.a.minimum|number expected",
                "{'jsonSchema':{'$ref':'http://127.0.0.1:1/x.json'}}|jsonSchema|Nothing is fetched",
                "{'jsonSchema':{'$ref':'file:///etc/passwd'}}|jsonSchema|Nothing is fetched",
                "{'jsonSchema':{'items':{'$ref':'classpath:posthorn.yaml'}}}|jsonSchema|Nothing is fetched",
                "{'jsonSchema':{'$ref':'https://json-schema.org/nope'}}|jsonSchema|Nothing is fetched",
                "{'jsonSchema':{'$ref':'#/$defs/nope'}}|jsonSchema|cannot be resolved",
                "{'jsonSchema':{'$schema':'http://127.0.0.1:1/mine'}}|jsonSchema.$schema|not a dialect",
                "{'jsonSchema':{'$schema':5}}|jsonSchema.$schema|not a dialect",
                "{'jsonSchema':{'pattern':'('}}|jsonSchema|cannot be used",
                "{'jsonSchema':{'title':'\\ud800'}}|jsonSchema|surrogate",
                "{'jsonSchema':true,'contentType':'text/plain'}|contentType|must be JSON",
                "{'jsonSchema':true,'protobuf':{'descriptor':'','message':'m'}}|protobuf|one of them",
                "{'protobuf':{'message':'m'}}|protobuf.descriptor|is missing",
                "{'protobuf':{'descriptor':''}}|protobuf.message|is missing",
                "{'protobuf':{'descriptor':'?','message':'m'}}|protobuf.descriptor|not Base64",
                "{'protobuf':{'descriptor':'AAAA','message':'m'}}|protobuf.descriptor|FileDescriptorSet",
                "{'protobuf':{'descriptor':'','message':'m'}}|protobuf.message|not in the descriptor",
                "{'protobuf':{'descriptor':'','message':'m','x':1}}|protobuf.x|known are descriptor, message"
            })
    void aBadDefinitionIsRefusedByTheField(String document, String field, String rule) {
        assertRefused(put("bad", document.replace('\'', '"')), field == null ? "" : field, rule);
        assertThat(hub.rest().get("/v1/event-types/bad").status()).isEqualTo(404);
    }

    @Test
    void aDefinitionMustBeThere() {
        for (String nothing : List.of("", "null")) {
            Answer answer = put("nothing", nothing);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.json().path("detail").asString()).contains("body");
        }
    }

    @Test
    void aNameFollowsTheRulesOfAnEventsType() {
        assertRefused(put("a%20b", "{}"), "name", "visible ASCII");
        assertRefused(put("a*", "{}"), "name", "visible ASCII");
        assertRefused(put("n".repeat(256), "{}"), "name", "limit is 255");
        assertThat(hub.rest().get("/v1/event-types/%F0%9F%98%80").status()).isEqualTo(400);
    }

    @Test
    void anUnknownTypeIsRegisteredByItsFirstEvent() {
        assertThat(publish("first.sight", "\"data\":1").status()).isEqualTo(202);
        JsonNode type = hub.rest().get("/v1/event-types/first.sight").json();
        assertThat(type.get("seen").asBoolean()).isTrue();
        assertThat(put("first.sight", "{}").json().get("seen").asBoolean()).isFalse();
        assertThat(hub.rest().delete("/v1/event-types/first.sight").status()).isEqualTo(204);
        assertThat(publish("first.sight", "\"data\":1").status()).isEqualTo(202);
        assertThat(hub.rest()
                        .get("/v1/event-types/first.sight")
                        .json()
                        .get("seen")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void aTypeMadeAnewIsNotTakenForTheOldOne() {
        put("anew", "{\"jsonSchema\": false}");
        assertThat(publish("anew", "\"data\":1").status()).isEqualTo(400);
        hub.rest().delete("/v1/event-types/anew");
        put("anew", "{\"jsonSchema\": true}");
        assertThat(publish("anew", "\"data\":1").status()).isEqualTo(202);
    }

    @Test
    void aStrictHubRefusesUnknownTypes() {
        Answer answer = strict.rest().post("/v1/events", "[%s]".formatted(event("unknown", "\"data\":1")));
        assertRefused(answer, "[0].type", "PUT /v1/event-types/unknown");
        strict.rest().put("/v1/event-types/user.registered", "{}");
        assertThat(strict.rest()
                        .post("/v1/events", event("user.registred", "\"data\":1"))
                        .json()
                        .get("detail")
                        .asString())
                .isEqualTo("type: 'user.registred' is not registered; did you mean user.registered? an admin registers"
                        + " it with PUT /v1/event-types/user.registred");
        strict.rest().put("/v1/event-types/unknown", "{}");
        assertThat(strict.rest()
                        .post("/v1/events", event("unknown", "\"data\":1"))
                        .status())
                .isEqualTo(202);
    }

    @Test
    void anEventMayNotContradictItsType() {
        put("contra", "{\"aggregateType\": \"order\", \"contentType\": \"Application/JSON\"}");
        assertThat(publish("contra", "\"data\":1").status()).isEqualTo(202);
        Answer same = publish(
                "contra", "\"data\":1,\"aggregateType\":\"order\",\"contentType\":\"application/json; charset=utf-8\"");
        assertThat(same.status()).isEqualTo(202);
        assertRefused(
                publish("contra", "\"data\":1,\"aggregateType\":\"user\""), "aggregateType", "belongs to 'order'");
        assertRefused(publish("contra", "\"dataBase64\":\"\""), "contentType", "has 'Application/JSON'");
        assertThat(RecordedAtHub.all(hub).stream().filter(event -> event.type().equals("contra")))
                .extracting(event -> event.aggregateType())
                .containsExactly(null, "order");
    }

    @Test
    void dataIsHeldToItsJsonSchema() {
        put("schema", """
                {"jsonSchema": {"type": "object", "required": ["user"], "additionalProperties": false, "properties": {
                  "user": {"type": "object", "required": ["email"], "properties": {"email": {"pattern": "@"}}},
                  "list": {"items": {"type": "integer"}}}}}""");
        assertThat(publish("schema", "\"data\":{\"user\":{\"email\":\"a@b\"}, \"list\":[1]}")
                        .status())
                .isEqualTo(202);
        assertRefused(publish("schema", "\"data\":{\"user\":{\"email\":\"ab\"}}"), "data.user.email", "pattern");
        assertRefused(publish("schema", "\"data\":{\"user\":{}}"), "data.user.email", "not found");
        assertRefused(
                publish("schema", "\"data\":{\"user\":{\"email\":\"@\"},\"list\":[1,\"x\"]}"),
                "data.list[1]",
                "integer");
        assertRefused(publish("schema", "\"data\":{\"user\":{\"email\":\"@\"},\"x\":1}"), "data.x", "not defined");
        assertRefused(publish("schema", "\"data\":\"\\ud800\""), "data", "half a surrogate pair");
        assertRefused(publish("schema", "\"dataBase64\":\"e30=\""), "contentType", "must be JSON");
        assertRefused(
                publish("schema", "\"dataBase64\":\"ew==\",\"contentType\":\"text/json\""), "data", "is not JSON");
        assertRefused(publish("schema", "\"dataBase64\":\"\",\"contentType\":\"text/json\""), "data", "not JSON");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {"{'multipleOf': 2}|1e999999999", "{'$ref': '#'}|1", "{'type': 'string', 'pattern': '^(a|b)*$'}|5"})
    void whatTroublesTheValidatorIsRefusedInWords(String schema, String data) {
        Answer put = put("trouble", "{\"jsonSchema\": " + schema.replace('\'', '"') + "}");
        Answer answer = put.status() < 300 ? publish("trouble", "\"data\":" + data) : put;
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        hub.rest().delete("/v1/event-types/trouble");
    }

    @Test
    void theDialectThatASchemaNamesCounts() {
        put(
                "dialect",
                "{\"jsonSchema\": {\"$schema\": \"http://json-schema.org/draft-07/schema#\","
                        + " \"definitions\": {\"n\": {\"type\": \"number\"}}, \"items\": [{\"$ref\": \"#/definitions/n\"}]}}");
        assertThat(publish("dialect", "\"data\":[1, \"x\"]").status()).isEqualTo(202);
        assertRefused(publish("dialect", "\"data\":[\"x\"]"), "data[0]", "number expected");
    }

    @Test
    void aBatchIsAllOrNothingAndSaysWhichFailed() {
        put("batch", "{\"jsonSchema\": {\"items\": {\"type\": \"integer\"}}}");
        String good = event("batch", "\"data\":[]");
        String bad = event("batch", "\"data\":[\"x\"]");
        String unknown = event("batch.never", "\"data\":1");
        Answer answer = hub.rest().post("/v1/events", "[%s,%s,%s,%s]".formatted(good, bad, unknown, bad));
        assertRefused(answer, "[1].data[0]", "integer");
        assertThat(answer.json()
                        .get("violations")
                        .valueStream()
                        .map(each -> each.get("item").asInt()))
                .containsExactly(1, 3);
        assertThat(RecordedAtHub.all(hub)).noneMatch(event -> event.type().startsWith("batch"));
        assertThat(hub.rest().get("/v1/event-types/batch.never").status()).isEqualTo(404);
        String worse = event("batch", "\"data\":" + Collections.nCopies(30, "\"x\""));
        assertThat(hub.rest().post("/v1/events", worse).json().get("violations"))
                .hasSize(20);
    }

    @Test
    void cloudEventsAreToldTheirOwnNames() {
        put("ce", "{\"contentType\": \"application/json\", \"jsonSchema\": {\"type\": \"object\"}}");
        var binary = hub.rest()
                .with("ce-specversion", "1.0")
                .with("ce-id", "1")
                .with("ce-source", "s")
                .with("ce-type", "ce");
        assertRefused(
                binary.with("Content-Type", "text/plain").call("POST", "/v1/events", "x".getBytes(UTF_8)),
                "content-type",
                "has 'application/json'");
        assertRefused(
                binary.with("Content-Type", "application/json").call("POST", "/v1/events", "1".getBytes(UTF_8)),
                "data",
                "object expected");
    }

    private static String descriptor(FileDescriptor... files) {
        FileDescriptorSet.Builder set = FileDescriptorSet.newBuilder();
        for (FileDescriptor file : files) {
            set.addFile(file.toProto());
            file.getDependencies().forEach(dependency -> set.addFile(dependency.toProto()));
        }
        return Base64.getEncoder().encodeToString(set.build().toByteArray());
    }

    private static String protobuf(String descriptor, String message) {
        return "{\"contentType\":\"application/x-protobuf\",\"protobuf\":{\"descriptor\":\"%s\",\"message\":\"%s\"}}"
                .formatted(descriptor, message);
    }

    private static Answer publishBytes(String type, byte[] bytes) {
        return publish(
                type,
                "\"contentType\":\"application/x-protobuf\",\"dataBase64\":\"%s\""
                        .formatted(Base64.getEncoder().encodeToString(bytes)));
    }

    @Test
    void aProtobufPayloadThatDoesNotParseIsRefused() {
        String descriptor = descriptor(Event.getDescriptor().getFile());
        Answer put = put("proto", protobuf(descriptor, "posthorn.v1.PublishBatchRequest"));
        assertThat(put.status()).as(put.text()).isEqualTo(201);
        assertThat(put.json().get("protobuf").get("descriptor").asString()).isEqualTo(descriptor);
        byte[] good = PublishBatchRequest.newBuilder()
                .addEvents(Event.newBuilder().setEventId("a").putHeaders("b", "c"))
                .build()
                .toByteArray();
        assertThat(publishBytes("proto", good).status()).isEqualTo(202);
        byte[] corrupt = good.clone();
        corrupt[1]++;
        assertRefused(publishBytes("proto", corrupt), "data", "is not a posthorn.v1.PublishBatchRequest");
        assertRefused(publishBytes("proto", Arrays.copyOf(good, good.length - 1)), "data", "is not a posthorn.v1");
        assertRefused(publishBytes("proto", "{\"a\": 1}".getBytes(UTF_8)), "data", "is not a posthorn.v1");
        byte[] unknownField = {(byte) 0xf8, 0x07, 0x01};
        assertThat(publishBytes("proto", unknownField).status()).isEqualTo(202);
        assertRefused(
                put("proto", protobuf(descriptor, "posthorn.v1.Nope")), "protobuf.message", "not in the descriptor");
    }

    @Test
    void aProtobufPayloadIsShownAsJsonToo() {
        String descriptor = descriptor(Event.getDescriptor().getFile());
        assertThat(put("decoded", protobuf(descriptor, "posthorn.v1.Event")).status())
                .isEqualTo(201);
        byte[] bytes = Event.newBuilder()
                .setEventId("a \"b\"")
                .putHeaders("c", "d")
                .build()
                .toByteArray();
        assertThat(publishBytes("decoded", bytes).status()).isEqualTo(202);
        String id = hub.rest()
                .get("/v1/events?type=decoded")
                .json()
                .path("items")
                .path(0)
                .path("id")
                .asString();
        JsonNode event = hub.rest().get("/v1/events/" + id).json();
        assertThat(event.path("dataBase64").asString())
                .isEqualTo(Base64.getEncoder().encodeToString(bytes));
        assertThat(event.path("decoded").path("eventId").asString()).isEqualTo("a \"b\"");
        assertThat(event.path("decoded").path("headers").path("c").asString()).isEqualTo("d");
        assertThat(hub.rest().get("/v1/events/" + id + "?payload=false").json().has("decoded"))
                .isFalse();
    }

    @Test
    void aDescriptorWithoutItsImportsIsRefused() {
        String alone = Base64.getEncoder()
                .encodeToString(FileDescriptorSet.newBuilder()
                        .addFile(Event.getDescriptor().getFile().toProto())
                        .build()
                        .toByteArray());
        assertRefused(put("alone", protobuf(alone, "posthorn.v1.Event")), "protobuf.descriptor", "--include_imports");
    }

    @Test
    void requiredFieldsOfAMessageMustBeThere() {
        FileDescriptorProto file = FileDescriptorProto.newBuilder()
                .setName("old.proto")
                .setPackage("old")
                .addMessageType(DescriptorProto.newBuilder()
                        .setName("Order")
                        .addField(FieldDescriptorProto.newBuilder()
                                .setName("number")
                                .setNumber(1)
                                .setLabel(FieldDescriptorProto.Label.LABEL_REQUIRED)
                                .setType(FieldDescriptorProto.Type.TYPE_INT32)))
                .build();
        String descriptor = Base64.getEncoder()
                .encodeToString(
                        FileDescriptorSet.newBuilder().addFile(file).build().toByteArray());
        put("required", protobuf(descriptor, "old.Order"));
        assertThat(publishBytes("required", new byte[] {8, 1}).status()).isEqualTo(202);
        assertRefused(publishBytes("required", new byte[0]), "data", "number");
    }
}
