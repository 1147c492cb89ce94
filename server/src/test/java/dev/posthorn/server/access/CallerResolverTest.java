package dev.posthorn.server.access;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.springframework.web.context.request.NativeWebRequest;

class CallerResolverTest {

    /** A call that some filter let past the gate must not become an admin's. */
    @Test
    void aCallThatNobodyAdmittedIsNobodys() {
        NativeWebRequest request = (NativeWebRequest) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {NativeWebRequest.class},
                (proxy, method, arguments) -> null);
        assertThatThrownBy(() -> CallerResolver.caller(request)).isInstanceOf(IllegalStateException.class);
    }
}
