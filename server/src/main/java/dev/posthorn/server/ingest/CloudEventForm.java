package dev.posthorn.server.ingest;

import dev.posthorn.server.json.Texts;

/** An event in the JSON format of CloudEvents. */
final class CloudEventForm implements EventForm {

    @Override
    public FormFieldNames names() {
        return FormFieldNames.STRUCTURED;
    }

    @Override
    public Reading begin(EventDraft draft, JsonBody at) {
        return new Attributes(draft, new CloudEvent(draft, at::missing));
    }

    private record Attributes(EventDraft draft, CloudEvent event) implements Reading {

        @Override
        public void field(String name, JsonBody at) {
            if (name.equals("data")) {
                draft.json(at.raw());
            } else if (name.equals("data_base64")) {
                draft.base64(name, at.text(name));
            } else if (CloudEvent.isName(name)) {
                event.attribute(name, at.scalar(name));
            } else {
                at.refuse(Texts.quote(name), "cannot be an attribute; use lower-case letters and digits");
            }
        }

        @Override
        public void end(JsonBody at) {
            event.end();
            if (draft.hasJson() && draft.hasBytes()) {
                at.missing("data_base64", "is given beside data; give one of them");
            } else {
                event.endData(at);
            }
        }
    }
}
