package dev.posthorn.benchmarks.subscriptions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Who wants what. */
class PopulationTest {

    private final Population twenty = new Population(20, List.of(1111, 2222));

    @Test
    void threeWantTheTypeOfAGroupAndWhoIsTooManyWantsNone() {
        String all = document(twenty);

        assertThat(twenty.groups()).isEqualTo(6);
        for (int group = 0; group < 6; group++) {
            assertThat(all.split("\"mix." + group + '"', -1))
                    .as("group %d", group)
                    .hasSize(4);
        }
        assertThat(all).doesNotContain("\"mix.6\"");
        assertThat(twenty.isIn(17, 5)).isTrue();
    }

    @Test
    void eachHasAPathAndATypeOfItsOwn() {
        assertThat(document(twenty)).contains("""
                        {"name":"s-3","filter":{"types":["t.3","all","mix.1"]},"sink":{"kind":"http","url":"http://127.0.0.1:2222/s/3"}}""").contains("""
                        {"name":"s-19","filter":{"types":["t.19","all"]},"sink":""");
    }

    @Test
    void aSingleOneIsAGroup() {
        Population one = new Population(1, List.of(1111));

        assertThat(one.groups()).isEqualTo(1);
        assertThat(one.groupSize()).isEqualTo(1);
    }

    @Test
    void atMostAThousandAreMadeByACall() {
        assertThat(new Population(2_500, List.of(1111)).documents()).hasSize(3);
    }

    private static String document(Population population) {
        return new String(population.documents().get(0), UTF_8);
    }
}
