package dev.posthorn.server.ingest;

import dev.posthorn.error.Nearest;
import dev.posthorn.server.json.Texts;
import java.util.List;

/** An event with the names that Posthorn itself uses. */
final class PlainForm implements EventForm {

    private static final List<String> KNOWN = List.of(
            "id",
            "source",
            "type",
            "version",
            "aggregateType",
            "key",
            "occurredAt",
            "deliverAt",
            "headers",
            "contentType",
            "data",
            "dataBase64");

    @Override
    public FormFieldNames names() {
        return FormFieldNames.PLAIN;
    }

    @Override
    public Reading begin(EventDraft draft, JsonBody at) {
        return new Fields(draft);
    }

    private record Fields(EventDraft draft) implements Reading {

        @Override
        public void field(String name, JsonBody at) {
            switch (name) {
                case "id" -> draft.id(at.text(name));
                case "source" -> draft.source(at.text(name));
                case "type" -> draft.type(at.text(name));
                case "version" -> draft.version(at.integer(name));
                case "aggregateType" -> draft.aggregateType(at.text(name));
                case "key" -> draft.key(at.text(name));
                case "occurredAt" -> draft.occurredAt(at.text(name));
                case "deliverAt" -> draft.deliverAt(at.text(name));
                case "headers" -> at.headers(name, draft);
                case "contentType" -> draft.contentType(at.text(name));
                case "data" -> draft.json(at.raw());
                case "dataBase64" -> draft.base64(name, at.text(name));
                default -> at.refuse(Texts.quote(name), unknown(name));
            }
        }

        private static String unknown(String name) {
            return "is not a field of an event; " + Nearest.question(name, KNOWN) + "known are "
                    + String.join(", ", KNOWN);
        }

        @Override
        public void end(JsonBody at) {
            if (draft.hasJson() && draft.hasBytes()) {
                at.missing("dataBase64", "is given beside data; give one of them");
            } else if (draft.hasJson() && !draft.saysJson()) {
                at.missing("contentType", "is not JSON, but data is; give other content as dataBase64");
            }
        }
    }
}
