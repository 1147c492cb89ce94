package dev.posthorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.testkit.ChildJvm;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SchemaPrinterTest {

    @Test
    void printsTheScriptThatInstallRuns() throws Exception {
        assertThat(print().out()).isEqualTo(new Schema(SchemaName.DEFAULT).script());
    }

    @Test
    void printsTheRolesOfASchemaOfAnotherName() throws Exception {
        assertThat(print("--roles", "--name", "billing").out())
                .isEqualTo(new Schema(new SchemaName("billing")).roles())
                .contains("GRANT INSERT ON \"billing\".event TO posthorn_writer");
    }

    @Test
    void tellsHowItIsUsedWhenItIsNotUnderstood() throws Exception {
        ChildJvm.Result result = print("--name");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("usage: posthorn schema [--name SCHEMA] [--roles]");
        assertThat(result.out()).isEmpty();
    }

    private static ChildJvm.Result print(String... arguments) throws Exception {
        return ChildJvm.run(
                List.of(ChildJvm.homeOf(Schema.class), ChildJvm.homeOf(LoggerFactory.class)),
                SchemaPrinter.class.getName(),
                arguments);
    }
}
