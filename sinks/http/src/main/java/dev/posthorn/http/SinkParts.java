package dev.posthorn.http;

/** What all channels of one sink share. */
record SinkParts(
        HttpSettings settings,
        Names names,
        Credentials credentials,
        RequestWriter requests,
        Diagnosis diagnosis,
        Connections connections) {}
