package dev.posthorn.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.http.address.HostResolver;
import dev.posthorn.http.address.HostileUrls;
import dev.posthorn.http.receiver.Hostility;
import dev.posthorn.http.receiver.RawReceiver;
import dev.posthorn.sink.Channel;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.testkit.Receiver;
import dev.posthorn.testkit.Receiver.Answer;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** No URL and no name leads to what is not the subscriber's. Listeners of this machine count what reaches them. */
class HostileUrlsTest {

    private static final InetAddress LOOPBACK = HostileUrls.address("127.0.0.1");
    private static final InetAddress LOOPBACK_6 = HostileUrls.address("::1");
    private static final InetAddress PUBLIC = HostileUrls.address("93.184.216.34");

    private final RawReceiver listener = listener(LOOPBACK);
    private final List<RawReceiver> listeners = new ArrayList<>(List.of(listener));

    private static RawReceiver listener(InetAddress address) {
        return RawReceiver.start(address, Hostility.after(Hostility.head(204)));
    }

    @AfterEach
    void stop() {
        listeners.forEach(RawReceiver::close);
    }

    /** With port, of a name or an address. */
    private String url(String host) {
        return "http://" + host + ":" + listener.port() + "/hook";
    }

    private static Outcome one(HttpSink.Builder sink) {
        return Sends.one(sink.build());
    }

    private void assertForbiddenAndNothingSent(Outcome outcome) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Unavailable.class,
                        away -> assertThat(away.errorClass()).isEqualTo(ErrorClass.FORBIDDEN));
        assertThat(listener.accepted()).isZero();
    }

    private static void assertRefused(HttpSink.Builder sink) {
        assertThatThrownBy(sink::build)
                .isInstanceOfSatisfying(
                        PosthornException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_SETTING));
    }

    @Test
    void thereAreEnough() {
        assertThat(HostileUrls.URLS).hasSizeGreaterThan(60);
        assertThat(HostileUrls.NAMES).hasSizeGreaterThan(20);
    }

    @ParameterizedTest
    @FieldSource("dev.posthorn.http.address.HostileUrls#URLS")
    void noSinkIsMadeForAHostileUrl(HostileUrls.Url hostile) {
        assertRefused(HttpSink.builder(hostile.url()));
    }

    @ParameterizedTest
    @FieldSource("dev.posthorn.http.address.HostileUrls#URLS")
    void noSinkIsMadeWithAHostileTokenUrl(HostileUrls.Url hostile) {
        assertThatThrownBy(() -> HttpSink.builder("https://example.com/")
                        .authentication(token(hostile.url()))
                        .build())
                .isInstanceOfSatisfying(
                        PosthornException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_SETTING));
    }

    private static Authentication token(String url) {
        return Authentication.oauth2(
                OAuth2.builder(url, "client", "s3cret-of-ours").build());
    }

    @ParameterizedTest
    @FieldSource("dev.posthorn.http.address.HostileUrls#NAMES")
    void nothingIsSentToAHostileName(HostileUrls.Name hostile) {
        assertForbiddenAndNothingSent(one(HttpSink.builder(url(hostile.host())).lookup(found(hostile))));
    }

    private static HostResolver.Lookup found(HostileUrls.Name name) {
        return host -> name.addresses().toArray(InetAddress[]::new);
    }

    /** The counting is worth something: what leads to this machine does arrive if it may. */
    @ParameterizedTest
    @MethodSource
    void theSameNamesReachTheListenerWhereLoopbackIsAllowed(HostileUrls.Name name) {
        Outcome outcome = one(
                HttpSink.builder(url(name.host())).destinations(Sends.LOOPBACK).lookup(found(name)));
        assertThat(outcome).isInstanceOf(Outcome.Delivered.class);
        assertThat(listener.accepted()).isOne();
    }

    static Stream<HostileUrls.Name> theSameNamesReachTheListenerWhereLoopbackIsAllowed() {
        List<HostileUrls.Name> names = HostileUrls.NAMES.stream()
                .filter(each -> each.addresses().equals(List.of(LOOPBACK)))
                .toList();
        assertThat(names).hasSizeGreaterThan(2);
        return names.stream();
    }

    @Test
    void theSameHoldsByIpv6() {
        RawReceiver six = listener(LOOPBACK_6);
        listeners.add(six);
        String url = "http://six.example:" + six.port() + "/";
        HostResolver.Lookup lookup = host -> new InetAddress[] {LOOPBACK_6};
        assertForbiddenAndNothingSent(one(HttpSink.builder(url).lookup(lookup)));
        assertThat(six.accepted()).isZero();
        assertThat(one(Sends.sink(url).lookup(lookup))).isInstanceOf(Outcome.Delivered.class);
        assertThat(six.accepted()).isOne();
    }

    /** Allowed hosts are no way around it: another name that leads to the same address is refused. */
    @Test
    void aTrustedNameOpensNoOther() {
        Destinations trusting = Destinations.builder().allowHost("ours.example").build();
        HostResolver.Lookup lookup = host -> new InetAddress[] {LOOPBACK};
        assertForbiddenAndNothingSent(one(
                HttpSink.builder(url("theirs.example")).destinations(trusting).lookup(lookup)));
        assertThat(one(HttpSink.builder(url("ours.example"))
                        .destinations(trusting)
                        .lookup(lookup)))
                .isInstanceOf(Outcome.Delivered.class);
    }

    /**
     * A name server that names a good address first and ours from then on, as does one whose answers live for no time.
     * If anything but the check were to ask it, the request would arrive here.
     */
    @ParameterizedTest
    @MethodSource
    void aNameThatTurnsAfterSomeLookupsDoesNotArrive(int good, List<InetAddress> then) {
        AtomicInteger lookups = new AtomicInteger();
        HttpSink sink = HttpSink.builder(url("rebinding.example"))
                .destinations(Destinations.builder().allowNetwork("127.9.9.9").build())
                .lookup(host -> lookups.getAndIncrement() < good
                        ? new InetAddress[] {HostileUrls.address("127.9.9.9")}
                        : then.toArray(InetAddress[]::new))
                .build();
        List<Outcome> outcomes = new ArrayList<>();
        try (Channel channel = sink.open("test/0", Sends.TIMEOUT)) {
            for (int i = 0; i < 3; i++) {
                outcomes.add(Sends.through(channel, Sends.event().build(), 1));
            }
        }
        assertThat(listener.accepted()).isZero();
        assertThat(outcomes).allSatisfy(each -> assertThat(each).isInstanceOf(Outcome.Unavailable.class));
        assertThat(((Outcome.Failure) outcomes.get(0)).errorClass())
                .isEqualTo(good == 0 ? ErrorClass.FORBIDDEN : ErrorClass.REFUSED);
    }

    static Stream<Arguments> aNameThatTurnsAfterSomeLookupsDoesNotArrive() {
        return Stream.of(
                Arguments.of(0, List.of(LOOPBACK)),
                Arguments.of(1, List.of(LOOPBACK)),
                Arguments.of(2, List.of(LOOPBACK)),
                Arguments.of(1, List.of(LOOPBACK_6)),
                Arguments.of(1, List.of(PUBLIC, LOOPBACK)),
                Arguments.of(1, List.of(HostileUrls.address("::ffff:127.0.0.1"))));
    }

    @ParameterizedTest
    @MethodSource
    void aRedirectToThisMachineIsNotFollowed(int status) {
        try (Receiver receiver = Receiver.start()) {
            receiver.answering(got -> new Answer(status, Map.of("Location", url("127.0.0.1")), ""));
            assertThat(Sends.one(Sends.sink(receiver.url("/hook")).build())).isInstanceOf(Outcome.Reject.class);
            assertThat(receiver.requests()).hasSize(1);
        }
        assertThat(listener.accepted()).isZero();
    }

    static Stream<Integer> aRedirectToThisMachineIsNotFollowed() {
        return Stream.of(300, 301, 302, 303, 305, 307, 308);
    }

    @ParameterizedTest
    @FieldSource("dev.posthorn.http.address.HostileUrls#NAMES")
    void noTokenIsAskedForAtAHostileName(HostileUrls.Name hostile) {
        try (Receiver receiver = Receiver.start()) {
            Outcome outcome = one(tokenFrom(
                    hostile,
                    receiver,
                    Destinations.builder().allowHost("receiver.example").build()));
            assertThat(outcome)
                    .isInstanceOfSatisfying(
                            Outcome.Unavailable.class,
                            away -> assertThat(away.errorClass()).isEqualTo(ErrorClass.AUTH));
            assertThat(receiver.requests()).isEmpty();
            assertThat(listener.accepted()).isZero();
        }
    }

    private HttpSink.Builder tokenFrom(HostileUrls.Name name, Receiver receiver, Destinations destinations) {
        return HttpSink.builder("http://receiver.example:" + receiver.port() + "/")
                .destinations(destinations)
                .authentication(token(url(name.host())))
                .lookup(host -> host.equals("receiver.example")
                        ? new InetAddress[] {LOOPBACK}
                        : name.addresses().toArray(InetAddress[]::new));
    }

    @Test
    void theSameTokenUrlIsAskedWhereLoopbackIsAllowed() {
        try (Receiver receiver = Receiver.start()) {
            one(tokenFrom(HostileUrls.NAMES.get(0), receiver, Sends.LOOPBACK));
            assertThat(listener.accepted()).isPositive();
        }
    }

    @Test
    void aProxyIsHeldToTheRulesOfAReceiver() {
        for (HostileUrls.Url hostile : HostileUrls.URLS) {
            assertRefused(HttpSink.builder("http://hooks.example/").proxy(hostile.url()));
        }
        assertRefused(HttpSink.builder("http://hooks.example:8080/")
                .proxy("http://proxy.example:3128")
                .destinations(Destinations.builder().onlyPorts(8080).build()));
    }

    @ParameterizedTest
    @FieldSource("dev.posthorn.http.address.HostileUrls#NAMES")
    void norIsAnythingSentThroughAProxyOfAHostileName(HostileUrls.Name hostile) {
        HttpSink sink = HttpSink.builder("http://hooks.example/")
                .proxy("http://" + hostile.host() + ":" + listener.port())
                .lookup(found(hostile))
                .build();
        assertThat(sink.refusal()).isPresent();
        assertForbiddenAndNothingSent(Sends.one(sink));
    }

    @Test
    void anAllowedProxyLetsNoHostileUrlThrough() {
        String proxy = "http://proxy.example:" + listener.port();
        Destinations ours = Destinations.builder().allowHost("proxy.example").build();
        HostResolver.Lookup lookup = host -> new InetAddress[] {LOOPBACK};
        assertThat(one(HttpSink.builder("http://hooks.example/")
                        .proxy(proxy)
                        .destinations(ours)
                        .lookup(lookup)))
                .isInstanceOf(Outcome.Delivered.class);
        assertThat(listener.accepted()).isOne();
        for (HostileUrls.Url hostile : HostileUrls.URLS) {
            assertRefused(HttpSink.builder(hostile.url()).proxy(proxy).destinations(ours));
        }
        assertThat(listener.accepted()).isOne();
    }

    @Test
    void proxiesOfTheSystemAreIgnored() {
        Map<String, String> proxies = Map.of(
                "http.proxyHost", "127.0.0.1",
                "http.proxyPort", Integer.toString(listener.port()),
                "socksProxyHost", "127.0.0.1",
                "socksProxyPort", Integer.toString(listener.port()),
                "java.net.useSystemProxies", "true",
                "http.nonProxyHosts", "localhost");
        try (Receiver receiver = Receiver.start()) {
            proxies.forEach(System::setProperty);
            Outcome outcome = one(Sends.sink("http://hooks.example:" + receiver.port() + "/")
                    .lookup(host -> new InetAddress[] {LOOPBACK}));
            assertThat(outcome).isInstanceOf(Outcome.Delivered.class);
            assertThat(receiver.requests()).hasSize(1);
            assertThat(listener.accepted()).isZero();
        } finally {
            proxies.keySet().forEach(System::clearProperty);
        }
    }
}
