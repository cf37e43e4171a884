using System.IO.Compression;
using System.Xml.Linq;

namespace PackageConsumer;

/// <summary>Checks the contents of a package.</summary>
internal static class PackageCheck
{
    private static readonly string[] _nativeExtensions = [".so", ".dylib", ".a", ".exe"];

    /// <summary>Describes every defect of a package; empty if it has none.</summary>
    public static IEnumerable<string> DefectsOf(string path)
    {
        using ZipArchive package = ZipFile.OpenRead(path);
        return [.. Defects(package).Select(defect => $"{Path.GetFileName(path)}: {defect}")];
    }

    private static IEnumerable<string> Defects(ZipArchive package)
    {
        string[] names = [.. package.Entries.Select(entry => entry.FullName)];
        XElement metadata = Nuspec(package);
        string Value(string name) => metadata.Elements().SingleOrDefault(element => element.Name.LocalName == name)?.Value ?? "";
        bool isSymbols = metadata.Descendants().Any(element => element.Attribute("name")?.Value == "SymbolsPackage");

        foreach (
            string native in names.Where(
                name => _nativeExtensions.Contains(Path.GetExtension(name)) || name.StartsWith("runtimes/", StringComparison.Ordinal)))
            yield return $"expected managed code only, found {native}";
        if (isSymbols)
        {
            if (!names.Any(name => name.EndsWith(".pdb", StringComparison.Ordinal)))
                yield return "expected symbols, found none";
            yield break;
        }

        if (Value("license") != "MIT")
            yield return $"expected the licence MIT, found '{Value("license")}'";
        if (Value("readme") != "README.md" || package.GetEntry("README.md") is not { Length: > 500 })
            yield return "expected a README.md, found none or a stub";
        if (Value("description").Length < 40 || Value("description").Contains("Vamana", StringComparison.Ordinal))
            yield return $"expected a true description, found '{Value("description")}'";
        if (Value("authors").Length == 0 || Value("tags").Length == 0)
            yield return "expected authors and tags";
        if (metadata.Elements().SingleOrDefault(element => element.Name.LocalName == "repository") is { } repository
            && repository.Attribute("commit")?.Value.Length != 40)
            yield return $"expected a repository with its commit, found {repository}";

        string library = Value("id");
        bool isTool = names.Contains("tools/net10.0/any/DotnetToolSettings.xml");
        string[] expected = isTool
            ? [$"tools/net10.0/any/{library}.dll", "tools/net10.0/any/VectorPipe.dll"]
            : [$"lib/net10.0/{library}.dll", $"lib/net10.0/{library}.xml"];
        foreach (string missing in expected.Except(names))
            yield return $"expected {missing}, found no such file";
    }

    private static XElement Nuspec(ZipArchive package)
    {
        ZipArchiveEntry nuspec = package.Entries.Single(entry => entry.FullName.EndsWith(".nuspec", StringComparison.Ordinal));
        using Stream stream = nuspec.Open();
        return XDocument.Load(stream).Root!.Elements().Single(element => element.Name.LocalName == "metadata");
    }
}
