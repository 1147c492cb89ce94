package dev.posthorn.server.subscriptions.sinks;

import dev.posthorn.http.Destinations;
import dev.posthorn.server.settings.HubSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Where subscriptions may send over HTTP, by the hub's settings. */
public final class HubDestinations {

    private HubDestinations() {}

    public static Destinations of(HubSettings settings) {
        HubSettings.Destinations asked = settings.destinations();
        Destinations.Builder builder = Destinations.builder();
        if (asked.allowLoopback() == null ? isLocal(settings) : asked.allowLoopback()) {
            builder.allowLoopback();
        }
        asked.allowNetworks().forEach(builder::allowNetwork);
        asked.allowHosts().forEach(builder::allowHost);
        if (!asked.onlyPorts().isEmpty()) {
            builder.onlyPorts(
                    asked.onlyPorts().stream().mapToInt(Integer::intValue).toArray());
        }
        return builder.build();
    }

    /** Who can reach the hub is on this machine already, so that loopback opens nothing new to them. */
    private static boolean isLocal(HubSettings settings) {
        return isLoopback(settings.http().address())
                && isLoopback(settings.grpc().address());
    }

    private static boolean isLoopback(String address) {
        try {
            return InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException nowhere) {
            return false;
        }
    }
}
