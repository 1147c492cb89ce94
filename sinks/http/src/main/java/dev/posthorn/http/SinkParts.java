package dev.posthorn.http;

import dev.posthorn.http.auth.Credentials;
import dev.posthorn.http.client.Connections;
import org.apache.hc.client5.http.HttpRoute;

/** What all channels of one sink share. */
record SinkParts(
        HttpSettings settings,
        Credentials credentials,
        RequestWriter requests,
        FailureClassifier failures,
        Connections connections,
        HttpRoute route) {}
