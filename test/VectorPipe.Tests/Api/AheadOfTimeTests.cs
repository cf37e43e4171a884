using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using NUnit.Framework;

namespace VectorPipe.Tests.Api;

/// <summary>The library works in a program that is compiled ahead of time, trimmed, or one file.</summary>
[TestFixture]
internal sealed class AheadOfTimeTests
{
    private const BindingFlags All =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly;

    [Test]
    public void The_library_calls_nothing_that_needs_other_code_or_files_at_run_time()
    {
        Member[] called = [.. CalledBy(typeof(VectorIndex).Assembly)];
        Assert.That(called, Has.Length.GreaterThan(1000));
        Assert.That(called.Where(member => member.Requirement is not null), Is.Empty);
    }

    // Type.MakeGenericType needs code at run time, Assembly.Location a file.
    [Test]
    public void Such_calls_are_found()
    {
        _ = typeof(List<>).MakeGenericType(typeof(string));
#pragma warning disable IL3000 // Only called to be found.
        _ = typeof(AheadOfTimeTests).Assembly.Location;
#pragma warning restore IL3000
        string[] found =
        [
            .. CalledBy(typeof(AheadOfTimeTests).Assembly).Where(member => member.Requirement is not null).Select(member => member.Name),
        ];
        Assert.That(found, Does.Contain("System.Type.MakeGenericType").And.Contain("System.Reflection.Assembly.get_Location"));
    }

    // The text that the compiler gives a record shows all of its public members; for the text of a pointer there is no code.
    [Test]
    public void No_record_shows_a_pointer()
    {
        Type[] records = [.. typeof(VectorIndex).Assembly.GetTypes().Where(type => type.GetMethod("PrintMembers", All) is not null)];
        Assert.That(records, Has.Length.GreaterThan(50));
        Assert.That(records.Where(ShowsPointer), Is.Empty);
        Assert.That(ShowsPointer(typeof(RecordWithPointer)));
    }

    private static bool ShowsPointer(Type type) =>
        type.GetProperties(BindingFlags.Public | BindingFlags.Instance).Any(property => property.PropertyType.IsPointer)
        || type.GetFields(BindingFlags.Public | BindingFlags.Instance).Any(field => field.FieldType.IsPointer);

    private readonly unsafe record struct RecordWithPointer(nint Address)
    {
        public byte* Pointer => (byte*)Address;
    }

    // All members of other assemblies that the code of one refers to.
    private static IEnumerable<Member> CalledBy(Assembly assembly)
    {
        using var file = new PEReader(File.OpenRead(assembly.Location));
        MetadataReader reader = file.GetMetadataReader();
        foreach (MemberReferenceHandle handle in reader.MemberReferences)
        {
            MemberReference reference = reader.GetMemberReference(handle);
            MemberInfo[] members = reference.Parent.Kind switch
            {
                HandleKind.TypeReference => [assembly.ManifestModule.ResolveMember(MetadataTokens.GetToken(handle))!],
                HandleKind.TypeSpecification => MembersOf(assembly, reader, reference),
                _ => [],
            };
            foreach (MemberInfo member in members)
                yield return new Member($"{member.DeclaringType}.{member.Name}", RequirementOf(member));
        }
    }

    // Members of generic types are looked up in the definition: by name and number of parameters.
    private static MemberInfo[] MembersOf(Assembly assembly, MetadataReader reader, MemberReference reference)
    {
        BlobReader type = reader.GetBlobReader(reader.GetTypeSpecification((TypeSpecificationHandle)reference.Parent).Signature);
        if (type.ReadSignatureTypeCode() != SignatureTypeCode.GenericTypeInstance)
            return [];
        type.ReadSignatureTypeCode();
        EntityHandle definition = type.ReadTypeHandle();
        if (reference.GetKind() != MemberReferenceKind.Method || definition.Kind != HandleKind.TypeReference)
            return [];
        BlobReader method = reader.GetBlobReader(reference.Signature);
        if (method.ReadSignatureHeader().IsGeneric)
            method.ReadCompressedInteger();
        int parameters = method.ReadCompressedInteger();
        string name = reader.GetString(reference.Name);
        return
        [
            .. assembly.ManifestModule.ResolveType(MetadataTokens.GetToken(definition)).GetMembers(All)
                .OfType<MethodBase>().Where(member => member.Name == name && member.GetParameters().Length == parameters),
        ];
    }

    private static string? RequirementOf(MemberInfo member)
    {
        if (member is { Name: "get_Location" or "get_CodeBase", DeclaringType.FullName: "System.Reflection.Assembly" })
            return "a file";

        // The attribute of a class speaks of what makes objects of it, and of its static members.
        bool isOfType = member is ConstructorInfo or MethodBase { IsStatic: true };
        IEnumerable<MemberInfo?> annotated = [member, isOfType ? member.DeclaringType : null, PropertyOf(member)];
        return annotated.OfType<MemberInfo>().SelectMany(one => one.CustomAttributes)
            .Select(attribute => attribute.AttributeType.Name)
            .FirstOrDefault(name => name is nameof(RequiresDynamicCodeAttribute) or nameof(RequiresAssemblyFilesAttribute)
                or nameof(RequiresUnreferencedCodeAttribute));
    }

    private static PropertyInfo? PropertyOf(MemberInfo member) =>
        member.Name.StartsWith("get_", StringComparison.Ordinal) || member.Name.StartsWith("set_", StringComparison.Ordinal)
            ? member.DeclaringType?.GetProperties(All).FirstOrDefault(property => property.Name == member.Name[4..])
            : null;

    private sealed record Member(string Name, string? Requirement);
}
