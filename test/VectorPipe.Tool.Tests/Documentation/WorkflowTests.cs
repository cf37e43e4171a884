using System.Text.RegularExpressions;
using NUnit.Framework;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>The workflow for several systems runs what the pages name, and the pages say of each system what ran there.</summary>
public sealed partial class WorkflowTests
{
    private const string Workflow = ".github/workflows/ci.yml";

    [Test]
    public void The_workflow_runs_the_commands_of_the_README()
    {
        string readme = Repository.Read("README.md"), workflow = Repository.Read(Workflow);
        foreach (string command in new[] { ".ci/run", "dotnet test VectorPipe.sln -c Release --filter \"TestCategory!=Heavy\"" })
        {
            Assert.That(readme, Does.Contain(command));
            Assert.That(workflow, Does.Contain($"run: {command}\n"));
        }

        Assert.That(readme, Does.Contain(Workflow));
        Assert.That(File.Exists(Path.Combine(Repository.Root, "global.json")));
    }

    [Test]
    public void The_page_says_of_each_system_of_the_workflow_what_ran_there()
    {
        string[] systems = [.. Systems().Match(Repository.Read(Workflow)).Groups["names"].Value.Split(", ")];
        Assert.That(systems, Has.Length.EqualTo(6));
        string page = Repository.Read("docs/faq.md");
        Assert.That(systems.Where(system => !page.Contains($"`{system}`", StringComparison.Ordinal)), Is.Empty);
    }

    [GeneratedRegex(@"os: \[(?<names>[^\]]+)\]")]
    private static partial Regex Systems();
}
