package dev.posthorn.http;

import static dev.posthorn.http.address.HostileUrls.address;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.http.address.Target;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DestinationsTest {

    private static final String HOST = "hooks.example.com";

    /** First and last of each range, what it is, and whether the addresses before and after it are public. */
    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 0.255.255.255, an unspecified address, false, true",
        "10.0.0.0, 10.255.255.255, a private address, true, true",
        "100.64.0.0, 100.127.255.255, a carrier-grade NAT address, true, true",
        "100.100.100.200, 100.100.100.200, a cloud metadata address, false, false",
        "127.0.0.0, 127.255.255.255, a loopback address, true, true",
        "168.63.129.16, 168.63.129.16, a cloud metadata address, true, true",
        "169.254.0.0, 169.254.255.255, a link-local address, true, true",
        "169.254.169.254, 169.254.169.254, a cloud metadata address, false, false",
        "169.254.170.2, 169.254.170.2, a cloud metadata address, false, false",
        "169.254.170.23, 169.254.170.23, a cloud metadata address, false, false",
        "172.16.0.0, 172.31.255.255, a private address, true, true",
        "192.0.0.0, 192.0.0.255, an address set aside for protocols, true, true",
        "192.0.0.192, 192.0.0.192, a cloud metadata address, false, false",
        "192.0.2.0, 192.0.2.255, a documentation address, true, true",
        "192.88.99.0, 192.88.99.255, a 6to4 address, true, true",
        "192.168.0.0, 192.168.255.255, a private address, true, true",
        "198.18.0.0, 198.19.255.255, a benchmarking address, true, true",
        "198.51.100.0, 198.51.100.255, a documentation address, true, true",
        "203.0.113.0, 203.0.113.255, a documentation address, true, true",
        "224.0.0.0, 239.255.255.255, a multicast address, true, false",
        "240.0.0.0, 255.255.255.254, a reserved address, false, false",
        "255.255.255.255, 255.255.255.255, the broadcast address, false, false",
        "::, ::, an unspecified address, false, false",
        "::1, ::1, a loopback address, false, false",
        "::2, ::ffff:ffff, an IPv4-compatible address, false, false",
        "::1:0:0, ::fffe:ffff:ffff, not a global address, false, false",
        "::ffff:0:0, ::ffff:ffff:ffff, an IPv4-mapped address, false, false",
        "::ffff:0:0:0, ::ffff:0:ffff:ffff, an IPv4-translated address, false, false",
        "64:ff9b::, 64:ff9b::ffff:ffff, a NAT64 address, false, false",
        "64:ff9b:1::, 64:ff9b:1:ffff:ffff:ffff:ffff:ffff, a NAT64 address, false, false",
        "100::, 100::ffff:ffff:ffff:ffff, a discard-only address, false, false",
        "100::1:0:0:0:0, 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, not a global address, false, true",
        "2001::, 2001:0:ffff:ffff:ffff:ffff:ffff:ffff, a Teredo address, true, false",
        "2001:1::, 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff, an address set aside for protocols, false, true",
        "2001:db8::, 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff, a documentation address, true, true",
        "2002::, 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff, a 6to4 address, true, true",
        "3fff::, 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff, a documentation address, true, true",
        "4000::, fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, not a global address, true, false",
        "fc00::, fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, a private address, false, false",
        "fd00:ec2::23, fd00:ec2::23, a cloud metadata address, false, false",
        "fd00:ec2::254, fd00:ec2::254, a cloud metadata address, false, false",
        "fd20:ce::254, fd20:ce::254, a cloud metadata address, false, false",
        "fe00::, fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff, not a global address, false, false",
        "fe80::, febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff, a link-local address, false, false",
        "fec0::, feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, a site-local address, false, false",
        "ff00::, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, a multicast address, false, false",
        "2600::5efe:0:0, 2600::5efe:ffff:ffff, an ISATAP address, true, true",
        "2600::200:5efe:0:0, 2600::200:5efe:ffff:ffff, an ISATAP address, true, true",
        "2600::300:5efe:0:0, 2600::300:5efe:ffff:ffff, an ISATAP address, true, true",
    })
    void refusesAllOfARangeAndNothingBesideIt(
            String first, String last, String kind, boolean publicBefore, boolean publicAfter) {
        assertThat(refusal(first)).isEqualTo(first + " is " + kind);
        assertThat(refusal(last)).endsWith(" is " + kind);
        assertBeside(neighbour(first, -1), kind, publicBefore);
        assertBeside(neighbour(last, 1), kind, publicAfter);
    }

    private static void assertBeside(@Nullable InetAddress beside, String kind, boolean isPublic) {
        if (beside == null) {
            return;
        }
        String refusal = Destinations.PUBLIC.policy().refusal(HOST, beside);
        if (isPublic) {
            assertThat(refusal).isNull();
        } else {
            assertThat(refusal).isNotNull().doesNotEndWith(" is " + kind);
        }
    }

    private static String refusal(String address) {
        return Destinations.PUBLIC.policy().refusal(HOST, address(address));
    }

    /** Null beyond the first and the last of all addresses. */
    private static @Nullable InetAddress neighbour(String address, int step) {
        int length = address(address).getAddress().length;
        BigInteger number = new BigInteger(1, address(address).getAddress()).add(BigInteger.valueOf(step));
        if (number.signum() < 0 || number.bitLength() > length * 8) {
            return null;
        }
        // One more byte in front keeps the sign away from the address.
        byte[] bytes = number.setBit(length * 8).toByteArray();
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(bytes, bytes.length - length, bytes.length));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1.1.1", "8.8.8.8", "93.184.216.34", "2600::1", "2606:4700::1111", "2a00:1450::5efd:1:1"})
    void allowsPublicAddresses(String address) {
        assertThat(refusal(address)).isNull();
    }

    @Test
    void javaMakesAnIpv4AddressOfAMappedOneAndItIsCheckedAsThat() throws UnknownHostException {
        InetAddress mapped =
                InetAddress.getByAddress(address("::ffff:127.0.0.1").getAddress());

        assertThat(Destinations.PUBLIC.policy().refusal(HOST, mapped)).isEqualTo("127.0.0.1 is a loopback address");
    }

    @Test
    void anAllowedNetworkIsOpenToItsEndsAndNoFurther() {
        Destinations some = Destinations.builder()
                .allowNetwork("10.1.0.0/16")
                .allowNetwork("fd00:aa::/31")
                .allowNetwork("192.168.1.7")
                .build();

        assertThat(some.policy().refusal(HOST, address("10.1.0.0"))).isNull();
        assertThat(some.policy().refusal(HOST, address("10.1.255.255"))).isNull();
        assertThat(some.policy().refusal(HOST, address("10.0.255.255"))).isNotNull();
        assertThat(some.policy().refusal(HOST, address("10.2.0.0"))).isNotNull();
        assertThat(some.policy().refusal(HOST, address("fd00:aa::"))).isNull();
        assertThat(some.policy().refusal(HOST, address("fd00:ab:ffff::"))).isNull();
        assertThat(some.policy().refusal(HOST, address("fd00:ac::"))).isNotNull();
        assertThat(some.policy().refusal(HOST, address("192.168.1.7"))).isNull();
        assertThat(some.policy().refusal(HOST, address("192.168.1.8"))).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "::ffff:10.1.0.1",
                "::10.1.0.1",
                "::ffff:0:10.1.0.1",
                "64:ff9b::10.1.0.1",
                "2002:a01:1::",
                "2600::5efe:10.1.0.1"
            })
    void anAllowedNetworkDoesNotOpenTheAddressesThatEmbedIts(String embedding) {
        Destinations some = Destinations.builder().allowNetwork("10.0.0.0/8").build();

        assertThat(some.policy().refusal(HOST, address("10.1.0.1"))).isNull();
        assertThat(some.policy().refusal(HOST, address(embedding))).isNotNull();
    }

    @Test
    void aMappedAddressIsNotOpenedByTheWidestNetwork() {
        Destinations all = Destinations.builder()
                .allowNetwork("::/0")
                .allowNetwork("0.0.0.0/0")
                .build();

        assertThat(all.policy().refusal(HOST, address("::ffff:10.1.0.1"))).isNotNull();
        assertThat(all.policy().refusal(HOST, address("::1"))).isNull();
        assertRefused(() -> all.policy().requireAllowed(Target.of("http://[::ffff:10.1.0.1]/")))
                .hasMessageContaining("IPv4");
    }

    @ParameterizedTest
    @CsvSource({
        "169.254.169.254, 169.254.0.0/16",
        "100.100.100.200, 100.64.0.0/10",
        "fd00:ec2::254, fd00::/8",
        "168.63.129.16, 0.0.0.0/0"
    })
    void metadataIsOpenedOnlyByItsOwnAddress(String metadata, String wide) {
        Destinations wideOnly = Destinations.builder().allowNetwork(wide).build();
        Destinations singly = Destinations.builder().allowNetwork(metadata).build();

        assertThat(wideOnly.policy().refusal(HOST, address(metadata))).endsWith("is a cloud metadata address");
        assertThat(singly.policy().refusal(HOST, address(metadata))).isNull();
    }

    @Test
    void anAllowedHostMayHaveAnyAddress() {
        Destinations some = Destinations.builder()
                .allowHost("Inner.example.com")
                .allowHost("*.corp.example")
                .build();

        assertThat(some.policy().refusal("inner.example.com", address("10.0.0.1")))
                .isNull();
        assertThat(some.policy().refusal("INNER.example.com", address("10.0.0.1")))
                .isNull();
        assertThat(some.policy().refusal("a.b.corp.example", address("::1"))).isNull();
        assertThat(some.policy().refusal("corp.example", address("10.0.0.1"))).isNotNull();
        assertThat(some.policy().refusal("evilcorp.example", address("10.0.0.1")))
                .isNotNull();
        assertThat(some.policy().refusal("x.inner.example.com", address("10.0.0.1")))
                .isNotNull();
        assertThat(some.policy().refusal("inner.example.com.evil.example", address("10.0.0.1")))
                .isNotNull();
    }

    @Test
    void loopbackIsOpenWhenAllowed() {
        Destinations local = Destinations.builder().allowLoopback().build();

        assertThat(local.policy().refusal(HOST, address("127.0.0.1"))).isNull();
        assertThat(local.policy().refusal(HOST, address("::1"))).isNull();
        assertThat(local.policy().refusal(HOST, address("10.0.0.1"))).isNotNull();
        for (String url : new String[] {"http://localhost:1/", "http://127.0.0.1:1/", "http://[::1]:1/"}) {
            assertThatCode(() -> local.policy().requireAllowed(Target.of(url))).doesNotThrowAnyException();
        }
    }

    @Test
    void aLoopbackNameIsOpenToWhomItsNetworkOrNameIs() {
        Target localhost = Target.of("http://localhost/");

        for (String network : new String[] {"127.0.0.1", "127.0.0.0/8", "::1", "0.0.0.0/0"}) {
            Destinations some = Destinations.builder().allowNetwork(network).build();
            assertThatCode(() -> some.policy().requireAllowed(localhost)).doesNotThrowAnyException();
        }
        Destinations named = Destinations.builder().allowHost("localhost").build();
        assertThatCode(() -> named.policy().requireAllowed(localhost)).doesNotThrowAnyException();
        Destinations other = Destinations.builder().allowNetwork("10.0.0.0/8").build();
        assertRefused(() -> other.policy().requireAllowed(localhost)).hasMessageContaining("loopback name");
    }

    @Test
    void aRefusalNamesTheKindAndTheSettingThatAllowsIt() {
        assertRefused(() -> Destinations.PUBLIC.policy().requireAllowed(Target.of("http://10.0.0.1/hook?token=s3cret")))
                .hasMessage("HTTP sink: must not send to http://10.0.0.1:80: 10.0.0.1 is a private address; give a"
                        + " public address, or allow this one with Destinations.allowNetwork(\"10.0.0.1\")");
        assertRefused(() -> Destinations.PUBLIC.policy().requireAllowed(Target.of("http://[::1]/")))
                .hasMessageContaining("::1 is a loopback address")
                .hasMessageContaining("allowLoopback()");
        assertRefused(() -> Destinations.PUBLIC.policy().requireAllowed(Target.of("http://localhost/")))
                .hasMessageContaining("allowLoopback()");
    }

    @Test
    void allPortsAreOpenUnlessSomeAreNamed() {
        Destinations some = Destinations.builder().onlyPorts(443, 8443).build();

        assertThat(Destinations.PUBLIC.policy().allowsPort(1)).isTrue();
        assertThat(Destinations.PUBLIC.policy().allowsPort(65_535)).isTrue();
        assertThat(some.policy().allowsPort(443)).isTrue();
        assertThat(some.policy().allowsPort(80)).isFalse();
        assertThatCode(() -> some.policy().requireAllowed(Target.of("https://example.com/")))
                .doesNotThrowAnyException();
        assertRefused(() -> some.policy().requireAllowed(Target.of("http://example.com/")))
                .hasMessageContaining("port 80 is not allowed")
                .hasMessageContaining("443, 8443")
                .hasMessageContaining("onlyPorts");
    }

    @Test
    void aTrustedHostHasNoOtherPorts() {
        Destinations some =
                Destinations.builder().allowHost(HOST).onlyPorts(443).build();

        assertRefused(() -> some.policy().requireAllowed(Target.of("http://" + HOST + "/")))
                .hasMessageContaining("port 80");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10",
                "10.1/16",
                "10.1.0.0/33",
                "10.1.0.0/-1",
                "10.1.0.0/",
                "10.1.0.0/016",
                "10.1.0.0/16/16",
                "10.1.2.0/16",
                "010.1.0.0/16",
                "fd00::/129",
                "fd00::1/8",
                "[fd00::]/8",
                "fe80::1%eth0",
                "::ffff:10.0.0.0/104",
                "localhost",
                "example.com/24",
                "10.1.0.0 /16"
            })
    void refusesWhatIsNoNetwork(String cidr) {
        assertRefused(() -> Destinations.builder().allowNetwork(cidr)).hasMessageContaining("'" + cidr + "'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "*.",
                "*.*.com",
                "a.*",
                "a*.com",
                "10.0.0.1",
                "::1",
                "a.com.",
                "a b",
                "a/b",
                "a:80",
                "*.1"
            })
    void refusesWhatIsNoHostsName(String name) {
        assertRefused(() -> Destinations.builder().allowHost(name)).hasMessageContaining("'" + name + "'");
    }

    @Test
    void refusesWhatIsNoPort() {
        assertRefused(() -> Destinations.builder().onlyPorts()).hasMessageContaining("onlyPorts");
        assertRefused(() -> Destinations.builder().onlyPorts(0)).hasMessageContaining("onlyPorts: 0");
        assertRefused(() -> Destinations.builder().onlyPorts(65_536)).hasMessageContaining("65536");
    }

    @Test
    void aBuilderUsedFurtherChangesNothingThatIsBuilt() {
        Destinations.Builder builder = Destinations.builder();
        Destinations built = builder.build();
        builder.allowLoopback().allowHost(HOST).onlyPorts(1);

        assertThat(built).hasToString("public addresses");
        assertThat(built.policy().refusal(HOST, address("127.0.0.1"))).isNotNull();
    }

    @Test
    void itsTextTellsTheExceptions() {
        assertThat(Destinations.PUBLIC).hasToString("public addresses");
        assertThat(Destinations.builder()
                        .allowLoopback()
                        .allowNetwork("10.1.0.0/16")
                        .allowHost("*.corp.example")
                        .onlyPorts(8443, 443)
                        .build())
                .hasToString("public addresses, networks 127.0.0.0/8, ::1, 10.1.0.0/16, hosts *.corp.example;"
                        + " only ports 443, 8443");
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(ThrowingCallable work) {
        return assertThatThrownBy(work)
                .isInstanceOfSatisfying(
                        PosthornException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SETTING));
    }
}
