import { folded } from "./words";

/**
 * Words of documentation that mean nearly the same, by language: readers often ask with an everyday word for what a page calls by its
 * technical term. One group a line; two words joined by `+` are one expression.
 */
const SYNONYMS: Readonly<Record<string, string>> = {
  en: `
    delete remove erase purge discard get+rid
    change modify edit alter customize
    show display print view
    folder directory
    enable activate turn+on switch+on
    disable deactivate turn+off switch+off
    start launch run boot
    stop terminate halt kill shutdown shut+down
    restart reload reboot
    password passphrase credentials
    login authenticate authentication log+in sign+in logon
    logout log+out sign+out
    error failure exception problem
    speed performance throughput rate bandwidth
    fast slow performance speed
    limit restrict maximum quota throttle
    protect secure security protection
    own custom
    settings configuration options preferences
    set configure
    install setup set+up installation
    upgrade update migrate migration
    picture image photo
    website site
    find search locate lookup
    copy duplicate clone
    move relocate transfer
    undo revert rollback
    restore recover recovery
    save store persist
    verify check validate test
    loop iterate repeat iteration
    merge combine join concatenate
    split divide separate partition
    number integer numeric
    text string
    allow permit grant
    deny forbid block reject refuse
    compare difference diff comparison
    same equal identical
    wait sleep delay
    schedule cron timer
    encrypt encryption cipher
    certificate tls ssl https
    language locale translation
    translate translation localization internationalization
    disk drive volume
    computer machine host
    job task
    background asynchronous async
    parallel concurrent concurrency
    email mail
    debug debugging troubleshoot troubleshooting
    parameter argument option flag
    version release
    deploy deployment production publish
    crash panic abort
    unique distinct
    order sort
    plugin extension addon
    empty blank null
    array list
    dictionary map hash
    function method
    keep retain preserve
    damaged corrupt broken corruption
    replace substitute
    include embed import
    exclude skip ignore
    temporary temp
    requirements prerequisites dependencies
    forward redirect proxy
    quit exit leave
    guide tutorial howto
    look appearance style theme design
    formula equation math
    picture diagram figure graphic
    hierarchy inheritance
    bug issue defect
    warning caution
    link hyperlink url
    address url
    big large
    size space
    longest duration
    compress compression gzip
    hacked compromised intrusion attack
    attack vulnerability exploit
    stuck hang freeze deadlock
    fix repair solve
    wrong incorrect invalid
    old previous legacy
    newest latest
    automatically automatic unattended
    hand manual manually
    watch monitor monitoring observe
    log logging journal
    user account
    rights permissions privileges access
    owner ownership
    administrator root admin superuser
    screen display monitor
    shortcut hotkey keybinding
    keyboard shortcuts
    letter character
    choose select pick
    convert transform conversion
    color colour
    measure benchmark profile metrics
    statistics metrics
    faster optimize performance
    library package module
    program application app executable
    terminal console shell
    stop prevent avoid
    ignore omit leave+out
    tutorial introduction beginner
    learn tutorial introduction
    session cookie
    secret token key credentials
    clean cleanup
    pause suspend
    resume continue
    cancel abort interrupt
    missing undefined
    append add insert
    location path
    fetch retrieve request
    response reply answer
    pass send
    hide private suppress
    backup snapshot archive
    export dump
    parse read
    nested inside
    outside external
    mobile phone responsive
    team collaborate collaboration
    contribute contributing contribution patch
    support help community
    several multiple
    shared share sharing
    upload post
    variable environment
    wildcard glob pattern
    regex regular+expression pattern
    async await
    thread concurrency
    pagination page paginate
    title heading caption
    menu navigation
    popup dialog modal
    inherit extend subclass
    convert cast
    round rounding
    date time
    scan analyze inspect
    hosting deploy
    server backend
    browser frontend client
    visitor client user
    customer user
    proxy gateway
    firewall iptables
    network networking
    wifi wireless
    usb stick`,
  de: `
    löschen entfernen
    ordner verzeichnis
    passwort kennwort passphrase
    anmelden einloggen login anmeldung
    abmelden ausloggen logout
    herunterfahren ausschalten abschalten fahre+herunter
    starten booten hochfahren ausführen
    neustart neustarten rebooten reboot
    einrichten konfigurieren einstellen konfiguration
    rechner computer maschine
    festplatte platte laufwerk
    platz speicherplatz
    ändern anpassen bearbeiten wechseln
    zeigen anzeigen ausgeben auflisten
    prüfen überprüfen verifizieren kontrollieren testen
    fehler problem
    aktualisieren update upgrade aktualisierung
    herunterladen download
    hochladen upload
    netzwerk netz
    programm anwendung software
    verschlüsseln verschlüsselung
    sichern sicherung backup datensicherung
    wiederherstellen wiederherstellung
    bildschirm monitor
    benutzer anwender konto
    einschalten aktivieren
    deaktivieren abschalten
    kaputt beschädigt defekt
    suchen finden
    kopieren kopie
    erstellen anlegen erzeugen
    installieren installation einspielen
    schnell geschwindigkeit leistung
    begrenzen beschränken
    schützen sichern sicherheit
    voraussetzungen anforderungen
    hilfe unterstützung
    vergleichen unterschied vergleich
    bild grafik
    erlauben zulassen
    verbieten sperren blockieren
    aussehen design stil thema
    bedienung tastatur maus
    speichern ablegen
    verbinden verbindung
    internet netzwerk
    wlan funk drahtlos
    automatisch unbeaufsichtigt
    reparieren beheben retten rettung
    firewall paketfilter
    datei dateien
    ausdrucken drucken
    protokoll log
    rechte berechtigungen zugriff
    administrator root
    verkleinern größe
    teilen aufteilen partitionieren
    bekannt erkannt erkennung
    hängt absturz
    fertig beenden
    frage antwort
    sprache übersetzung lokalisierung
    melden fehlerbericht
    link verweis
    seite webseite
    liste auflistung
    zeit uhr datum`,
  es: `
    eliminar borrar quitar
    carpeta directorio
    contraseña clave
    iniciar arrancar ejecutar
    parar detener
    reiniciar recargar
    cambiar modificar editar
    mostrar ver visualizar
    error fallo problema
    activar habilitar
    desactivar deshabilitar
    configurar ajustar configuración
    actualizar actualización
    guardar almacenar
    buscar encontrar
    comprobar verificar validar
    instalar instalación
    ordenador equipo máquina
    disco unidad
    permitir autorizar
    rechazar bloquear denegar
    comparar diferencia comparación
    copia respaldo
    restaurar recuperar
    usuario cuenta
    automático automática solas solo
    registro log bitácora
    pirateado comprometida comprometido intrusión ataque
    archivo fichero
    copia+seguridad respaldo
    copias respaldo
    red conexión
    proteger asegurar seguridad
    lento rendimiento
    rápido rendimiento velocidad
    programar planificar cron
    permisos derechos acceso
    administrador root superusuario
    cifrar cifrado encriptar
    imprimir impresora
    correo email
    web internet
    idioma traducción localización
    tema apariencia aspecto estilo
    enlace vínculo
    añadir agregar crear
    crear generar
    instalar desplegar
    descargar bajar obtener
    enviar mandar
    arreglar reparar resolver solucionar
    aprender tutorial introducción
    limitar restringir
    dividir particionar partición
    unir combinar fusionar
    deshacer revertir`,
  fr: `
    supprimer effacer enlever retirer
    dossier répertoire
    connexion authentification
    redémarrer relancer redémarrage
    arrêter stopper arrêt
    démarrer lancer démarrage
    afficher montrer voir
    changer modifier
    activer autoriser
    installer installation
    journal log trace journalisation
    erreur problème
    limiter restreindre limite
    vitesse débit bande+passante
    vérifier tester contrôler
    protéger sécuriser sécurité
    rediriger redirection
    visiteur client utilisateur
    propre personnalisé
    remplacer substituer substitution
    chiffrer chiffrement crypter
    migrer migration
    empêcher interdire bloquer refuser
    autoriser permettre
    lent performance performances
    ordinateur machine
    disque volume
    sauvegarder enregistrer
    restaurer récupérer
    chercher rechercher trouver
    comparer différence comparaison
    configurer paramétrer configuration
    paramètre option argument
    métier tâche
    apparence thème style
    langue langage traduction
    utilisateur compte
    droits permissions accès
    administrateur root
    lien url
    image photo figure
    bogue bug anomalie
    sauvegarde copie archive
    automatiquement automatique
    réparer corriger résoudre
    créer générer ajouter
    télécharger récupérer
    envoyer transmettre
    écrire développer créer
    page document
    chemin emplacement
    fusionner combiner joindre
    séparer diviser partitionner
    attendre délai
    planifier programmer cron
    réseau connexion
    surveiller supervision
    annuler revenir
    apprendre tutoriel introduction`,
  it: `
    eliminare cancellare rimuovere
    cartella directory
    avviare eseguire lanciare
    fermare arrestare
    riavviare ricaricare
    cambiare modificare
    mostrare visualizzare
    errore problema
    attivare abilitare
    disattivare disabilitare
    configurare impostare configurazione
    aggiornare aggiornamento
    salvare memorizzare
    cercare trovare
    verificare controllare
    installare installazione
    permettere consentire
    ripristinare recuperare`,
  nl: `
    verwijderen wissen
    map directory
    wachtwoord wachtzin
    starten opstarten uitvoeren
    stoppen afsluiten
    herstarten herladen
    wijzigen veranderen aanpassen
    tonen weergeven
    fout probleem
    inschakelen activeren aanzetten
    uitschakelen deactiveren uitzetten
    instellen configureren configuratie
    bijwerken updaten
    opslaan bewaren
    zoeken vinden
    controleren verifiëren
    installeren installatie
    toestaan toelaten
    herstellen terugzetten`,
  pt: `
    eliminar apagar excluir remover
    pasta diretório
    senha palavra-passe
    iniciar executar arrancar
    parar encerrar
    reiniciar recarregar
    mudar alterar modificar editar
    mostrar exibir visualizar
    erro falha problema
    ativar habilitar
    desativar desabilitar
    configurar ajustar configuração
    atualizar atualização
    salvar guardar armazenar
    buscar procurar encontrar
    verificar validar
    instalar instalação
    permitir autorizar
    restaurar recuperar`,
};

/**
 * The groups of which the site has a word: those that it has not and those that it has, with `=` between.
 *
 * @param pagesOf how many pages have a word
 */
export function synonymsOf(language: string, pagesOf: (word: string) => number): string[] {
  return (SYNONYMS[language] ?? "").split("\n").flatMap((line) => {
    const words = line.split(" ").filter(Boolean).map(folded);
    const isKnown = (word: string): boolean => !word.includes("+") && pagesOf(word) > 0;
    const known = words.filter(isKnown);
    const others = words.filter((word) => !isKnown(word));
    return known.length === 0 || words.length < 2 ? [] : [`${others.join(" ")}=${known.join(" ")}`];
  });
}
