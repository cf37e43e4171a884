using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using NUnit.Framework;
using YamlDotNet.RepresentationModel;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>Files that pages show are well-formed, and name what there is.</summary>
public sealed partial class DataBlockTests
{
    private const string Page = "docs/containers.md";

    // What the image of a program listens on unless it is told otherwise (ASPNETCORE_HTTP_PORTS).
    private const string DefaultPort = "8080";

    // What this test knows to check; a command, say, would have options.
    private static readonly string[] _ofContainer = ["name", "image", "ports", "env", "resources", "readinessProbe", "volumeMounts"];

    private static readonly Dictionary<string, Action<string>> _readers = new()
    {
        ["json"] = text => JsonDocument.Parse(text).Dispose(),
        ["xml"] = text => XDocument.Parse(text),
        ["yaml"] = text => Load(text),
    };

    [Test]
    public void Files_that_pages_show_can_be_read()
    {
        (string Page, string Language, string Text)[] blocks =
        [
            .. from page in Repository.Pages
               from language in _readers.Keys
               from text in Repository.BlocksOf(page, language)
               select (page, language, text),
        ];
        Assert.That(blocks, Has.Length.GreaterThanOrEqualTo(5));
        using (Assert.EnterMultipleScope())
        {
            foreach ((string page, string language, string text) in blocks)
                Assert.That(() => _readers[language](text), Throws.Nothing, $"{page}: {text}");
        }

        Load(Repository.Read(".github/workflows/ci.yml"));
    }

    [Test]
    public void The_setting_of_the_thread_pool_is_that_of_the_tool()
    {
        XElement shown = XDocument.Parse(Repository.BlocksOf(Page, "xml").Single()).Descendants("RuntimeHostConfigurationOption").Single();
        XElement used = XDocument.Parse(Repository.Read("src/VectorPipe.Tool/VectorPipe.Tool.csproj"))
            .Descendants("RuntimeHostConfigurationOption").Single();
        Assert.That(
            shown.Attributes().Select(attribute => $"{attribute}"), Is.EqualTo(used.Attributes().Select(attribute => $"{attribute}")));
    }

    [Test]
    public void The_pods_run_the_service_of_the_page_for_beginners()
    {
        string program = Repository.Read("samples/GettingStartedWeb/Program.cs");
        YamlNode set = Load(Repository.BlocksOf(Page, "yaml").Single());
        Assert.That(Text(set, "kind"), Is.EqualTo("StatefulSet"));
        YamlNode spec = set["spec"], template = spec["template"], pod = template["spec"];
        Assert.That(template["metadata"]["labels"], Is.EqualTo(spec["selector"]["matchLabels"]), "labels that select the pods");

        YamlNode container = Items(pod["containers"]).Single();
        Assert.That(((YamlMappingNode)container).Children.Keys.Select(key => $"{key}"), Is.SubsetOf(_ofContainer));
        YamlNode probe = container["readinessProbe"]["httpGet"];
        Assert.That(program, Does.Contain($".MapHealthChecks(\"{Text(probe, "path")}\")"));
        YamlNode port = Items(container["ports"]).Single();
        Assert.That(Text(port, "containerPort"), Is.EqualTo(DefaultPort));
        Assert.That(Text(probe, "port"), Is.EqualTo(Text(port, "name")));

        YamlNode mount = Items(container["volumeMounts"]).Single();
        Assert.That(
            Text(mount, "name"), Is.EqualTo(Text(Items(spec["volumeClaimTemplates"]).Single()["metadata"], "name")), "a volume there is");
        YamlNode variable = Items(container["env"]).Single();
        Assert.That(program, Does.Contain($"Configuration[\"{Text(variable, "name")}\"]"), "a setting that the program reads");
        Assert.That(Text(variable, "value"), Does.StartWith(Text(mount, "mountPath") + "/"), "records are on the volume");

        string made = PageCommand.Of(Page).Single(command => command.Program == "jq").Text;
        Assert.That(
            MadeFile().Match(made).Groups["name"].Value, Is.EqualTo(Text(pod["securityContext"]["seccompProfile"], "localhostProfile")));
    }

    private static YamlNode Load(string text)
    {
        var stream = new YamlStream();
        stream.Load(new StringReader(text));
        return stream.Documents.Single().RootNode;
    }

    private static string Text(YamlNode node, string key) => ((YamlScalarNode)node[key]).Value!;

    private static IEnumerable<YamlNode> Items(YamlNode list) => ((YamlSequenceNode)list).Children;

    [GeneratedRegex(@"> (?<name>\S+)$")]
    private static partial Regex MadeFile();
}
