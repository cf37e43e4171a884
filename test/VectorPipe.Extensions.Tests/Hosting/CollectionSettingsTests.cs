using Microsoft.Extensions.Options;
using NUnit.Framework;

namespace VectorPipe.Extensions.Tests.Hosting;

/// <summary>Settings of a collection are refused when the host starts, for the reasons for which opening would refuse them.</summary>
[TestFixture]
internal sealed class CollectionSettingsTests
{
    private static readonly TestCaseData[] _wrong =
    [
        Case("Directory", settings => settings.Directory = " "),
        Case("Dimension", settings => settings.Dimension = 32_769),
        Case("CacheBytes", settings => settings.CacheBytes = -1),
        Case("Metric", settings => settings.Metric = (DistanceMetric)99),
        Case("ElementType", settings => settings.ElementType = (VectorElementType)99),
        Case("Durability", settings => settings.Durability = (Durability)99),
        Case("Attributes:year", settings => settings.Attributes["year"] = 0),
        Case("Attributes", settings => settings.Attributes[""] = AttributeType.Int64),
        Case("Attributes", settings => settings.Attributes[new string('a', 129)] = AttributeType.Int64),
        Case("Attributes", settings => settings.Attributes[new string('ä', 65)] = AttributeType.Int64),
        Case("Attributes", settings => settings.Attributes["\ud800"] = AttributeType.Int64),
        Case("Attributes", settings => AddAttributes(settings, 65)),
    ];

    [TestCaseSource(nameof(_wrong))]
    public void A_wrong_setting_is_named(string setting, Action<VectorCollectionSettings> change)
    {
        VectorCollectionSettings settings = Valid();
        change(settings);
        ValidateOptionsResult result = Validator("books").Validate("books", settings);
        Assert.That(result.FailureMessage, Does.StartWith($"Collection \"books\", {setting}: expected ").And.Contains(", found "));
        Assert.That(result.Failures!.Count(), Is.EqualTo(1));
    }

    [Test]
    public async Task Settings_at_the_end_of_their_ranges_are_valid_and_open_a_collection()
    {
        VectorCollectionSettings settings = Valid();
        settings.Dimension = 32_768;
        settings.Attributes[new string('ä', 64)] = AttributeType.StringSet;
        AddAttributes(settings, 63);
        Assert.That(Validator("books").Validate("books", settings).Succeeded, Is.True);
        string directory = Directory.CreateTempSubdirectory("vectorpipe-settings-").FullName;
        try
        {
            await using VectorCollection<int> opened = await VectorCollection<int>.OpenAsync(directory, settings.ToSchema());
            Assert.That(opened.Schema.Attributes, Has.Count.EqualTo(64));
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    [Test]
    public void Settings_of_another_collection_are_not_looked_at() => Assert.That(
        Validator("books").Validate("songs", new VectorCollectionSettings()).Skipped, Is.True);

    private static SettingsValidator Validator(string collection) => new(collection, Options.Create(new VectorPipeEngineSettings()));

    private static TestCaseData Case(string setting, Action<VectorCollectionSettings> change) => new(setting, change);

    private static VectorCollectionSettings Valid() => new() { Directory = "books", Dimension = 2 };

    private static void AddAttributes(VectorCollectionSettings settings, int count)
    {
        for (int i = 0; i < count; i++)
            settings.Attributes[$"a{i}"] = AttributeType.Int64;
    }
}
