package dev.posthorn.server.ingest;

import java.util.Map;

/** What a caller calls the fields of an event, by the form in which it sent it. */
enum FormFieldNames {
    PLAIN {
        @Override
        String of(String field) {
            return field.equals("payload") ? "data" : field;
        }
    },
    STRUCTURED {
        @Override
        String of(String field) {
            return attribute(field);
        }
    },
    BINARY {
        @Override
        String of(String field) {
            if (field.equals("contentType")) {
                return "content-type";
            }
            String name = attribute(field);
            return name.equals("data") || name.startsWith("data.") || name.startsWith("data[") ? name : "ce-" + name;
        }
    };

    private static final Map<String, String> ATTRIBUTES = Map.of(
            "payload", "data",
            "occurredAt", "time",
            "contentType", "datacontenttype",
            "key", "partitionkey",
            "version", "eventversion",
            "aggregateType", "aggregatetype");

    private static final String OWN = "headers.";

    /** The caller's name for what the core and the rest of the hub call so. */
    abstract String of(String field);

    private static String attribute(String field) {
        return field.startsWith(OWN) ? field.substring(OWN.length()) : ATTRIBUTES.getOrDefault(field, field);
    }
}
