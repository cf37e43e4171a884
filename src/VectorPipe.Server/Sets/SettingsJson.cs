using System.Text.Json.Serialization;

namespace VectorPipe.Server.Sets;

/// <summary>How settings are written and read.</summary>
[JsonSerializable(typeof(SetSettings))]
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true, WriteIndented = true)]
internal sealed partial class SettingsJson : JsonSerializerContext;
